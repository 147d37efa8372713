package sdcore

import (
	"context"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/scenario"
)

var update = flag.Bool("update", false, "write the golden files")

// bed is a testbed of names and addresses only.
func bed() site.Site {
	a := netip.MustParseAddr
	return &sitetest.Fake{Ports: site.Links{
		UPFN3: netdev.Port{Name: "n3-abcde", Addr: a("192.168.13.151")},
		UPFN6: netdev.Port{Name: "n6-abcde", Addr: a("192.168.15.151")},
		UPFN4: netdev.Port{Name: "n4-abcde", Addr: a("192.168.14.151")},
	}}
}

func env(mode string, sessions int) dut.Env {
	a, t := netip.MustParseAddr, bed()
	return dut.Env{Mode: mode, Site: t, Scenario: &scenario.Scenario{
		Packets:      scenario.Packets{Sessions: sessions},
		SessionRules: scenario.SessionRules{UE: scenario.UE{First: a("10.45.0.2")}},
		Network: scenario.Network{
			N3: scenario.N3{UPF: t.Links().UPFN3.Addr},
			N4: scenario.N4{UPF: t.Links().UPFN4.Addr, NetworkInstance: "internet"},
		},
	}}
}

// pfcpiface and up4.bess of 2.5.1 read these configurations.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		golden string
		env    dut.Env
	}{
		{"af_packet.jsonc", env(afPacket, 1)},
		{"af_xdp.jsonc", env(afXDP, 10_000)},
		{"dpdk.jsonc", env(dpdk, 1000)},
	} {
		v, err := plan(c.env)
		if err != nil {
			t.Fatal(err)
		}
		path, err := dut.Render(t.TempDir(), "upf.jsonc", config, v)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path)
		golden := filepath.Join("testdata", c.golden)
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: it is\n%s\nwant\n%s", c.golden, got, want)
		}
	}
}

func TestIPv6IsRefused(t *testing.T) {
	e := env(afPacket, 1)
	e.Scenario.UE.First = netip.MustParseAddr("2001:db8::2")
	if _, err := plan(e); err == nil || !strings.Contains(err.Error(), "ue.first") || !strings.Contains(err.Error(), "2001:db8::2") {
		t.Errorf("an IPv6 UE: %v", err)
	}
}

// install makes an installation of programs that do nothing, and selects it.
func install(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(variable, filepath.Join(dir, "bin"))
	t.Setenv("PATH", filepath.Join(dir, "nothing"))
	return dir
}

func TestFind(t *testing.T) {
	dir := install(t, "bin/bessd", "bin/pfcpiface", "bin/python3", "bess/bessctl/bessctl",
		"bess/bessctl/conf/up4.bess", "bess/bessctl/conf/route_control.py")
	if err := os.Symlink("../bess/bessctl/bessctl", filepath.Join(dir, "bin", "bessctl")); err != nil {
		t.Fatal(err)
	}
	p, err := find(Driver{}.Info())
	if err != nil {
		t.Fatal(err)
	}
	if p.bessd != filepath.Join(dir, "bin/bessd") || p.pythonPath != filepath.Join(dir, "bess") ||
		p.routeControl != filepath.Join(dir, "bess/bessctl/conf/route_control.py") ||
		!strings.HasPrefix(p.path, filepath.Join(dir, "bin")+":") {
		t.Errorf("it found %+v", p)
	}
	if _, err := p.version(); err == nil || !strings.Contains(err.Error(), "not SD-Core's pfcpiface") {
		t.Errorf("the version of a script: %v", err)
	}
}

func TestNotInstalled(t *testing.T) {
	for missing, have := range map[string][]string{
		`no program "bessd"`:     {"bin/pfcpiface", "bin/python3", "bin/bessctl"},
		`no program "pfcpiface"`: {"bin/bessd", "bin/python3", "bin/bessctl"},
		"conf/route_control.py":  {"bin/bessd", "bin/python3", "bin/bessctl", "bin/pfcpiface"},
		"conf/up4.bess":          {"bin/bessd", "bin/python3", "bin/bessctl", "bin/pfcpiface", "bin/conf/route_control.py"},
	} {
		install(t, have...)
		if _, err := (Driver{}).Installed(); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("the error is %v, want %q in it", err, missing)
		}
	}
}

// A mode that cannot be run says so, and leaves the configuration.
func TestDPDKIsConfigurationOnly(t *testing.T) {
	install(t, "bin/bessd", "bin/python3", "bin/bessctl", "bin/pfcpiface", "bin/conf/route_control.py", "bin/conf/up4.bess")
	e := env(dpdk, 1)
	e.Dir = t.TempDir()
	_, err := Driver{}.Start(context.Background(), e)
	if err == nil || !strings.Contains(err.Error(), "configuration only") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(e.Dir, "upf.jsonc")); err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	n := portNames(bed())
	for module, want := range map[string]string{
		"n3-abcdebad_route": "accessbad_route", "n6-abcdeFast": "coreFast", "pdrLookupFail": "pdrLookupFail",
	} {
		if got := n.of(module); got != want {
			t.Errorf("%s is %s, want %s", module, got, want)
		}
	}
	if got := nextHop("n3-abcde", []byte{2, 0x75, 0x70, 0x66, 3, 1}); got != "n3-abcdeDstMAC027570660301" {
		t.Errorf("the module of a next hop is %s", got)
	}
}
