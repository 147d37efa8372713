package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestSite runs with a program in the place of upflab-kubernetes, which shows how it was
// called.
func TestSite(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+withoutQEMU(t))
	call := func(args ...string) (int, string) {
		var out bytes.Buffer
		status := Main(append([]string{"run"}, args...), &out, &out)
		return status, out.String()
	}
	if status, said := call("quick", "--site", "kubernetes", "--dry-run"); status != exit.Failed || !strings.Contains(said, "make kubernetes") {
		t.Errorf("without the program: %d, %s", status, said)
	}
	script := "#!/bin/sh\necho called: \"$@\"\nexit 7\n"
	if err := os.WriteFile(filepath.Join(bin, "upflab-kubernetes"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hosts := file("hosts.yaml", "hosts: {generators: [\"rack1:eth1\"], sink: \"rack4:eth1\"}\nn3: {device: eth1}\nn6: {device: eth2}\n")
	trex := file("trex.yaml", "engine: trex\ntrex: {server: \"192.0.2.1:4501\", n3_port: 0, n6_port: 1}\nlink: physical\nn3: {device: a}\nn6: {device: b}\n")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"quick", "--site", "kubernetes=k.yaml", "--dry-run", "--set", "sessions=2", "--dut", "external"}, 7,
			"--file k.yaml -- quick --dut external --set sessions=2"},
		{[]string{"quick", "--site", "kubernetes", "--out", t.TempDir()}, 7, "-- quick --dut builtin"},
		{[]string{"attack", "--site", "kubernetes", "--dry-run", "--case", "attack.gtpu", "--i-am-allowed-to-attack", "192.0.2.1"}, 7,
			"--case attack.gtpu --i-am-allowed-to-attack 192.0.2.1"},
		{[]string{"quick", "--site", "moon"}, exit.Usage, "it is vm, kubernetes or kubernetes=FILE"},
		{[]string{"quick", "--site", "vm=k.yaml"}, exit.Usage, "vm takes no file"},
		{[]string{"quick", "--site", "vm", "--live"}, exit.Usage, "--live is for runs on this machine, not for --site vm"},
		{[]string{"quick", "--site", "kubernetes", "--build", "a=/bin/true"}, exit.Usage, "--build is for runs on this machine"},
		{[]string{"quick", "--site", "vm", "--set", "vm.nic=igb", "--set", "link=bridge"}, exit.Usage, "leave one of the two out"},
		{[]string{"quick", "--site", "vm", "--set", "link=physical", "--set", "n3.device=a", "--set", "n3.tester_device=b", "--set", "n6.device=c",
			"--set", "n6.tester_device=d"}, exit.Usage, "--set vm.nic=virtio-net gives it NICs"},
		{[]string{"quick", "--site", "vm", "--set", "vm.nic=igb", "--set", "link=veth"}, exit.Usage, "link=veth and vm.nic=igb"},
		{[]string{"quick", "--site", "vm", "--set", "vm.nic=igb", "--set", "n3.link=veth"}, exit.Usage, "link=veth and vm.nic=igb"},
		{[]string{"quick", "--site", "vm", "--dut", "external", "--set", "external.n3_interface=lo", "--set", "external.n6_interface=lo"}, exit.Usage,
			"--dut external runs outside of upflab, and a virtual machine does not reach it"},
		{[]string{hosts, "--site", "vm"}, exit.Usage, "the scenario has hosts, which a virtual machine does not reach"},
		{[]string{trex, "--site", "vm"}, exit.Usage, "engine=trex is a server, which a virtual machine does not reach"},
		{[]string{"quick", "--site", "vm", "--build", "a=/run/upf"}, exit.Usage, "/run/upf is not seen in a virtual machine, where /run is another folder"},
		{[]string{"quick", "--site", "vm", "--set", "vm.cpus=2", "--set", "cpu.dut=2"}, exit.Usage, "CPU 2 is not one that upflab may use ([0 1])"},
		// Another CPU than this machine has may be one of the guest, which only then lacks QEMU.
		{[]string{"quick", "--site", "vm", "--set", "vm.cpus=64", "--set", "cpu.dut=63"}, exit.Failed, "qemu-system-x86_64 is not in PATH"},
		{[]string{"quick", "--site", "vm", "--dry-run"}, exit.Failed, "qemu-system-x86_64 is not in PATH: install it"},
		{[]string{"quick", "--site", "kubernetes", "--live"}, exit.Usage, "--live is for runs on this machine"},
		{[]string{"quick", "--site", "kubernetes", "--set", "sessions=x"}, exit.Usage, "sessions"},
	} {
		if status, said := call(c.args...); status != c.status || !strings.Contains(said, c.want) {
			t.Errorf("%q: %d, %s", c.args, status, said)
		}
	}
}

// withoutQEMU is a folder with the shell alone.
func withoutQEMU(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "sh")); err != nil {
		t.Fatal(err)
	}
	return dir
}
