package oai

import (
	"context"
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

func one() *scenario.Scenario {
	a := netip.MustParseAddr
	return &scenario.Scenario{
		Sessions: 1, UE: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: a("10.45.0.2")},
		N3: scenario.N3{UPF: a("192.168.13.151")}, N6: scenario.N6{DN: a("192.168.16.152")},
		N4: scenario.N4{SMF: a("192.168.14.111"), NetworkInstance: "internet"},
	}
}

func bed() site.Site {
	port := func(name, addr string) netdev.Port {
		return netdev.Port{Name: name, Addr: netip.MustParseAddr(addr), MAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}}
	}
	return &sitetest.Fake{Ports: site.Links{
		UPFN3: port("n3-abcde", "192.168.13.151"), UPFN4: port("n4-abcde", "192.168.14.151"), UPFN6: port("n6-abcde", "192.168.16.151"),
		SMFN4: port("n4-abcde", "192.168.14.111"), DNN6: port("n6-abcde", "192.168.16.152"),
	}}
}

// The keys are those that the UPF's sources read.
func TestConfig(t *testing.T) {
	for mode, golden := range map[string][]string{simple: {"simple.yaml"}, xdp: {"xdp.yaml", "ebpf_maps.conf"}} {
		s := one()
		s.Sessions = 20_000
		files, err := render(dut.Env{Mode: mode, Scenario: s, Site: bed(), Dir: t.TempDir()})
		if err != nil || len(files) != len(golden) {
			t.Fatal(files, err)
		}
		for i, name := range golden {
			got, _ := os.ReadFile(files[i])
			want, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("%s: it is\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for why, c := range map[string]struct {
		change func(*scenario.Scenario)
		words  []string
	}{
		"an IPv6 UE": {func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("2001:db8::2") }, []string{"IPv4 only", "ue.first"}},
		"tun0's own": {func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("10.45.0.1") },
			[]string{"10.45.0.1", "ue.first to 10.45.0.2"}},
		"an SMF on v6":  {func(s *scenario.Scenario) { s.N4.SMF = netip.MustParseAddr("2001:db8::1") }, []string{"n4.smf"}},
		"an UPF's v6":   {func(s *scenario.Scenario) { s.N3.UPF = netip.MustParseAddr("2001:db8::1") }, []string{"n3.upf"}},
		"a DN on IPv6 ": {func(s *scenario.Scenario) { s.N6.DN = netip.MustParseAddr("2001:db8::1") }, []string{"n6.dn"}},
	} {
		s := one()
		c.change(s)
		err := check(s, simple)
		for _, w := range c.words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: the error %v does not say %q", why, err, w)
			}
		}
	}
}

// Its command line and its configuration, with a script in its place.
func TestStart(t *testing.T) {
	tb := sitetest.Build(t)
	path := filepath.Join(t.TempDir(), "oai_upf")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$@\"; exec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_OAI", path)
	for _, mode := range (Driver{}).Info().Modes {
		i, err := Driver{}.Start(context.Background(), dut.Env{Scenario: one(), Mode: mode, Dir: t.TempDir(), Site: tb, CPUs: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		e := i.Endpoint
		if e.N4 != netip.AddrPortFrom(tb.Links().UPFN4.Addr, 8805) || e.Dialect.Name != "oai" ||
			!e.Dialect.UPInitiates || e.XDP.Receives() != (mode == xdp) {
			t.Errorf("%s: %+v", mode, e)
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
}
