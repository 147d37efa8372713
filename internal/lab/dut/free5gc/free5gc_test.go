package free5gc

import (
	"context"
	"flag"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

var update = flag.Bool("update", false, "write the golden files")

// port is a port of names and addresses only.
func port(name, addr string, mac byte) netdev.Port {
	return netdev.Port{Name: name, Addr: netip.MustParseAddr(addr), Prefix: 24, MAC: net.HardwareAddr{2, 0x75, 0x70, 0x66, mac, 2}}
}

// one is a default run: one session.
func one(dir string) dut.Env {
	return dut.Env{Mode: guestMode, Dir: dir, Site: &sitetest.Fake{Ports: site.Links{
		UPFN3: port("n3-abcde", "192.168.13.151", 3), GNB: port("n3-abcde", "192.168.13.131", 0x13),
		UPFN6: port("n6-abcde", "192.168.16.151", 6), DNN6: port("n6-abcde", "192.168.16.152", 0x16),
		UPFN4: port("n4-abcde", "192.168.14.151", 4), SMFN4: port("n4-abcde", "192.168.14.111", 0x14),
	}}, Scenario: &scenario.Scenario{
		Packets: scenario.Packets{Sessions: 1},
		Network: scenario.Network{MTU: 1600, N4: scenario.N4{NetworkInstance: "internet"}},
		SessionRules: scenario.SessionRules{
			UE: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: netip.MustParseAddr("10.45.0.2")},
		},
	}}
}

// golden compares a file with what is expected of it.
func golden(t *testing.T, path, name string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: it is\n%s\nwant\n%s", name, got, want)
	}
}

// go-upf v1.2.12 reads this configuration.
func TestConfig(t *testing.T) {
	v, err := plan(one(""))
	if err != nil {
		t.Fatal(err)
	}
	path, err := dut.Render(t.TempDir(), "upfcfg.yaml", config, v)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, path, "upfcfg.yaml")
}

func TestInit(t *testing.T) {
	path, err := renderInit(one(t.TempDir()), initValues{
		Module: "/opt/gtp5g.ko", Config: "/r/upfcfg.yaml", Counters: "/r/o'clock/guest.counters", Command: []string{"/opt/upf"}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, path, "init.sh")
}

func TestChooseRefused(t *testing.T) {
	env := one("")
	env.Scenario.TEID.Assign = scenario.AssignUPF
	if _, err := plan(env); err == nil || !strings.Contains(err.Error(), "teid.assign=smf") {
		t.Errorf("CHOOSE: %v", err)
	}
}

// As a guest wrote it down, kernel 6.1, with losses put in where it had none.
func TestParse(t *testing.T) {
	b, err := os.ReadFile("testdata/counters.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := parse(string(b))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []record.Count{
		{Place: "guest: N3 received and dropped", Packets: 1}, {Place: "guest: N3 transmit queue full", Packets: 2},
		{Place: "guest: N6 received and dropped", Packets: 0}, {Place: "guest: N6 transmit queue full", Packets: 0},
		{Place: notSent, Packets: 3}, {Place: "guest: backlog behind gtp5g full (netdev_max_backlog)", Packets: 0x1f},
		{Place: "guest: Ip OutNoRoutes", Packets: 4}, {Place: "guest: Udp InErrors", Packets: 5},
	} {
		if !slices.Contains(list, want) {
			t.Errorf("%+v is not in %+v", want, list)
		}
	}
}

func TestParseNonsense(t *testing.T) {
	for text, words := range map[string]string{
		"upfgtp: 1 2 3\n":            "3 columns",
		"0000zz 00000000 00000000":   "no number",
		"Ip: A B\nIp: 1\n":           "2 names and 1 values",
		"Udp: InErrors\nUdp: many\n": "InErrors",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want %q", text, err, words)
		}
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Brief(f)
	b, err := os.ReadFile("testdata/counters.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	f.Fuzz(func(t *testing.T, text string) { parse(text) })
}

func TestVersion(t *testing.T) {
	for text, want := range map[string]string{
		"license=GPL\x00version=0.10.2\x00author=x\x00": "0.10.2",
		"srcversion=ABC\x00":                            "unknown", "": "unknown", "version=": "unknown",
	} {
		if got := versionIn([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("UPFLAB_FREE5GC", "")
	if _, err := (Driver{}).Installed(); err == nil || !strings.Contains(err.Error(), "github.com/free5gc/go-upf") {
		t.Errorf("without go-upf: %v", err)
	}
	t.Setenv(kernelVariable, "")
	t.Setenv(moduleVariable, "")
	if _, err := findGuest(); err == nil || !strings.Contains(err.Error(), "docs/duts/free5gc.md") {
		t.Errorf("without a guest: %v", err)
	}
	t.Setenv(kernelVariable, "/no/such/kernel")
	t.Setenv(moduleVariable, "/no/such/module")
	if _, err := findGuest(); err == nil || !strings.Contains(err.Error(), "/no/such/") {
		t.Errorf("with a wrong path: %v", err)
	}
}

func TestKernelModeRefused(t *testing.T) {
	if moduleLoaded() {
		t.Skip("gtp5g is loaded here")
	}
	env := one(t.TempDir())
	if _, err := startHere(env, []string{"/bin/true"}, ""); err == nil || !strings.Contains(err.Error(), "free5gc:guest") {
		t.Errorf("without gtp5g: %v", err)
	}
}

// A guest boots, reports its counters and leaves nothing behind.
func TestGuest(t *testing.T) {
	if _, err := (Driver{}).Installed(); err != nil {
		t.Skip(err)
	}
	if moduleLoaded() {
		t.Skip("gtp5g is loaded here: this is about the guest")
	}
	tb := sitetest.Build(t)
	env := one(t.TempDir())
	env.Site, env.CPUs = tb, []int{0}
	i, err := Driver{}.Start(context.Background(), env)
	if err != nil {
		t.Fatal(err)
	}
	list, err := i.Drops()
	if err != nil || len(list) == 0 {
		t.Errorf("its counters are %v, %v", list, err)
	}
	pids := i.PIDs()
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid))); err == nil {
			t.Errorf("process %d is left", pid)
		}
	}
}
