package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// TestConfigElsewhere: what `dut config` writes brings a UPF up where nothing is
// configured, `external` measures it there, and afterwards all is as it was.
func TestConfigElsewhere(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	for _, device := range []string{"n3", "n4", "n6"} {
		ip(t, "-n "+upfNS+" address flush dev "+device)
	}
	written := filepath.Join(t.TempDir(), "upf")
	made := upflab(t, []string{"dut", "config", "builtin:tun", "--out", written, "--set", "sessions=10", "--cpus", "0"})
	made.finishes(0)
	if said := made.stdout.String(); !strings.Contains(said, "--dut external") || !strings.Contains(said, "ip address add 192.168.13.131/24") {
		t.Errorf("it says\n%s", said)
	}
	elsewhere := filepath.Join(t.TempDir(), "copied") // as if to another machine
	if out, err := exec.Command("cp", "-rp", written, elsewhere).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before := settingsOf(t)
	upf := start(t, inNS(upfNS, filepath.Join(elsewhere, "start")))
	upf.until("the UPF runs", func() bool { return strings.Contains(upf.stdout.String(), "builtin:tun runs") })
	dir := t.TempDir()
	args := append([]string{program()}, quick(dir, "--dut", "external", "--set", "external.n3_interface=n3", "--set",
		"external.n6_interface=n6", "--set", "sessions=10")...)
	start(t, inNS(peerNS, args...)).finishes(0, 3)
	if r := load(t, dir); len(r.DUTs) != 1 || r.DUTs[0].Status != record.StatusOK {
		t.Errorf("measured %+v\n%s", r.DUTs, upf.said())
	}
	upf.signal(syscall.SIGTERM)
	if got := upf.status(20 * time.Second); got != 1 {
		t.Errorf("the script ends with %d\n%s", got, upf.said())
	}
	if after := settingsOf(t); after != before {
		t.Errorf("it was\n%s\nand is\n%s\n%s", before, after, upf.said())
	}
}

// settingsOf is what the script may change in the UPF's namespace.
func settingsOf(t *testing.T) string {
	t.Helper()
	const show = `ip -4 address; ip route; ip neighbour show nud permanent; ip -o link | sed 's/ qlen.*//'; tc qdisc; grep -rs . /proc/sys/net/ipv4/conf /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf`
	out, err := inNS(upfNS, "sh", "-c", show).Output()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}
