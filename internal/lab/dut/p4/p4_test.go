package p4

import (
	"context"
	"flag"
	"net"
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
	port := func(name, addr string, mac ...byte) netdev.Port {
		return netdev.Port{Name: name, Addr: netip.MustParseAddr(addr), MAC: net.HardwareAddr(mac)}
	}
	return &sitetest.Fake{Ports: site.Links{
		GNB:   port("gnb-abcde", "192.168.13.1", 2, 0, 0, 0, 3, 1),
		UPFN3: port("n3-abcde", "192.168.13.151", 2, 0, 0, 0, 3, 2),
		DNN6:  port("dn-abcde", "192.168.15.1", 2, 0, 0, 0, 6, 1),
		UPFN6: port("n6-abcde", "192.168.15.151", 0, 0, 0, 0, 6, 2),
		UPFN4: port("n4-abcde", "192.168.14.151"),
	}}
}

func env(mode string, t site.Site) dut.Env {
	return dut.Env{Mode: mode, Site: t, Scenario: &scenario.Scenario{
		Packets: scenario.Packets{Sessions: 1},
		SessionRules: scenario.SessionRules{
			UE: scenario.UE{Pool: netip.MustParsePrefix("10.45.3.7/16"), First: netip.MustParseAddr("10.45.0.2")},
		},
		Network: scenario.Network{
			N3: scenario.N3{UPF: t.Links().UPFN3.Addr},
			N4: scenario.N4{UPF: t.Links().UPFN4.Addr, NetworkInstance: "internet"},
		},
	}}
}

// pfcpiface 2.1.1 reads these configurations.
func TestConfig(t *testing.T) {
	t.Setenv(switchVariable, "203.0.113.9:28000")
	for _, mode := range (Driver{}).Info().Modes {
		v, err := plan(env(mode, bed()))
		if err != nil {
			t.Fatal(err)
		}
		path, err := dut.Render(t.TempDir(), "upf.jsonc", config, v)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path)
		golden := filepath.Join("testdata", mode+".jsonc")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || string(got) != string(want) {
			t.Errorf("%s: it is\n%s\nwant\n%s\n%v", golden, got, want, err)
		}
	}
}

func TestIPv6IsRefused(t *testing.T) {
	e := env(bmv2, bed())
	e.Scenario.UE.First = netip.MustParseAddr("2001:db8::2")
	if _, err := plan(e); err == nil || !strings.Contains(err.Error(), "ue.first") || !strings.Contains(err.Error(), "2001:db8::2") {
		t.Errorf("an IPv6 UE: %v", err)
	}
}

// install makes an installation of programs that do nothing, and selects it.
func install(t *testing.T, files ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(variable, dir)
	t.Setenv("PATH", filepath.Join(dir, "nothing"))
}

func TestNotInstalled(t *testing.T) {
	for missing, have := range map[string][]string{
		"no simple_switch_grpc": {"pfcpiface", deviceFile, infoFile},
		"no pfcpiface":          {"simple_switch_grpc", deviceFile, infoFile},
		"no bmv2.json":          {"simple_switch_grpc", "pfcpiface", infoFile},
		"no p4info.txt":         {"simple_switch_grpc", "pfcpiface", deviceFile},
		"is not pfcpiface":      {"simple_switch_grpc", "pfcpiface", deviceFile, infoFile},
	} {
		install(t, have...)
		if _, err := (Driver{}).Installed(); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("the error is %v, want %q in it", err, missing)
		}
	}
}

func TestBMv2Version(t *testing.T) {
	for _, c := range []struct{ script, want, words string }{
		{"echo 1.15.5", "1.15.5", ""},
		{"echo 1.15.0-9674187f", "1.15.0-9674187f", ""},
		{"echo 'some other program'", "", "is it BMv2's"},
		{"echo 'no libgrpc++.so' >&2; exit 127", "", "no libgrpc++.so"},
	} {
		file := filepath.Join(t.TempDir(), "simple_switch_grpc")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		v, err := bmv2Version(file)
		if v != c.want || (c.words == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %q, %v; want %q, %q", c.script, v, err, c.want, c.words)
		}
	}
}

// A mode that cannot be run says so, and leaves the configuration.
func TestExternalIsConfigurationOnly(t *testing.T) {
	install(t, "simple_switch_grpc", "pfcpiface", deviceFile, infoFile)
	e := env(external, bed())
	e.Dir = t.TempDir()
	t.Setenv(switchVariable, "")
	if _, err := (Driver{}).Start(context.Background(), e); err == nil || !strings.Contains(err.Error(), switchVariable) {
		t.Errorf("without a switch: %v", err)
	}
	t.Setenv(switchVariable, "203.0.113.9:28000")
	if _, err := (Driver{}).Start(context.Background(), e); err == nil || !strings.Contains(err.Error(), "configuration only") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(e.Dir, "upf.jsonc")); err != nil {
		t.Error(err)
	}
}

// The real one, where it is installed: it starts, with more sessions than UP4 has
// room for, reports its counters and leaves its files.
func TestRealOne(t *testing.T) {
	version, err := (Driver{}).Installed()
	if err != nil {
		t.Skip(err)
	}
	t.Log(version)
	e := env(bmv2, sitetest.Build(t))
	e.CPUs, e.Dir, e.Scenario.Sessions = []int{0}, t.TempDir(), 2000
	i, err := Driver{}.Start(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	drops, err := i.Drops()
	if err != nil || len(drops) != 3 {
		t.Errorf("it reports %v, %v", drops, err)
	}
	for _, d := range drops {
		if d.Packets != 0 || !strings.HasPrefix(string(d.Place), "BMv2: ") {
			t.Errorf("before a packet it reports %+v", d)
		}
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	for _, file := range i.Files() {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}
