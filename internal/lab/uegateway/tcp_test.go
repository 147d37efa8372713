package uegateway_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/datanet"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/decap"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/machine/program"
	"github.com/upflab/upflab/internal/scenario"
)

// TestTCP: downloads and uploads are whole, with and without long segments at the UE,
// and a segment that was not cut would have been counted.
func TestTCP(t *testing.T) {
	for name, c := range map[string]struct {
		driver dut.Driver
		mode   string
		uncut  bool
	}{
		"tc": {decap.Driver{}, "tc", false}, "XDP": {decap.Driver{}, "xdp", false}, "without long segments": {decap.Driver{}, "tc", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := openLab(t, c.driver, c.mode, 2, func(g *uegateway.Config) { g.Uncut = c.uncut; g.Default = 1 })
			l.serve(t, l.dn)
			if got := l.ask(t, "curl", "-sS", "http://dn.test/ip"); strings.TrimSpace(got) != "10.45.0.3" {
				t.Errorf("the data network saw %q, not UE 2", got)
			}
			if got := l.ask(t, "curl", "-sS", "--interface", "10.45.0.2", "http://HTTP.dn.test/ip"); strings.TrimSpace(got) != "10.45.0.2" {
				t.Errorf("the data network saw %q, not UE 1", got)
			}
			l.whole(t, l.dn)
		})
	}
}

// TestTCPIPv6: the same over IPv6, of UEs with IPv6 alone and with both families.
func TestTCPIPv6(t *testing.T) {
	for name, c := range map[string]struct {
		family scenario.Family
		mode   string
		uncut  bool
	}{
		"tc": {scenario.FamilyIPv6, "tc", false}, "XDP": {scenario.FamilyIPv6, "xdp", false},
		"without long segments": {scenario.FamilyIPv6, "tc", true}, "both families": {scenario.FamilyBoth, "tc", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := openLabOf(t, c.family, decap.Driver{}, c.mode, 2, func(g *uegateway.Config) { g.Uncut = c.uncut; g.Default = 1 })
			l.serve(t, l.dn6)
			if got := l.runWith(t, l.dn6, "curl", "-sS", "http://dn.test/ip"); strings.TrimSpace(got) != "2001:db8:45:2::2" {
				t.Errorf("the data network saw %q, not UE 2", got)
			}
			if got := l.runWith(t, l.dn6, "curl", "-6", "-sS", "--interface", "2001:db8:45:1::2", "http://dn.test/ip"); strings.TrimSpace(got) != "2001:db8:45:1::2" {
				t.Errorf("the data network saw %q, not UE 1", got)
			}
			l.whole(t, l.dn6)
		})
	}
}

// serve opens a data network at an address.
func (l lab) serve(t *testing.T, at netip.Addr) {
	t.Helper()
	n, err := datanet.Open(datanet.Config{Namespace: l.site.Links().DNN6.NS, Addresses: []netip.Addr{at}})
	if err != nil {
		t.Fatal(err)
	}
	closing(t, n.Close)
}

// whole wants a download and an upload of 20 MB whole, and no packet dropped.
func (l lab) whole(t *testing.T, dn netip.Addr) {
	t.Helper()
	const size = "20000000"
	if got := l.runWith(t, dn, "curl", "-sS", "-o", "/dev/null", "-w", "%{size_download}", "http://dn.test/download/20M"); got != size {
		t.Errorf("downloaded %s of %s octets", got, size)
	}
	if got := l.runWith(t, dn, "sh", "-c", "head -c "+size+" /dev/zero | curl -sS -T - http://dn.test/upload"); strings.TrimSpace(got) != size {
		t.Errorf("uploaded %s of %s octets", got, size)
	}
	if c, err := l.gateway.Counters(); err != nil || len(c.Dropped) > 0 {
		t.Errorf("counted %+v, %v", c, err)
	}
}

// ask is run with the data network's DNS.
func (l lab) ask(t *testing.T, args ...string) string {
	t.Helper()
	return l.runWith(t, l.dn, args...)
}

func (l lab) runWith(t *testing.T, resolver netip.Addr, args ...string) string {
	t.Helper()
	out, err := program.Output(within(t), l.gateway.Program(program.Spec{Args: args}, resolver))
	if err != nil {
		c, _ := l.gateway.Counters()
		t.Fatalf("%s: %v\n%s\n%+v", strings.Join(args, " "), err, out, c)
	}
	return string(out)
}
