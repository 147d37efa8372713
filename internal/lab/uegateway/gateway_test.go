package uegateway_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/decap"
	"github.com/upflab/upflab/internal/lab/dut/n6"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/scenario"
)

// lab is a testbed with a decapsulator or plain forwarding in the UPF's place.
type lab struct {
	site    site.Site
	gateway *uegateway.Gateway
	dn, dn6 netip.Addr
}

func openLab(t testing.TB, driver dut.Driver, mode string, ues int, change func(*uegateway.Config)) lab {
	t.Helper()
	return openLabOf(t, scenario.FamilyIPv4, driver, mode, ues, change)
}

// openLabOf opens a lab with UEs of a family.
func openLabOf(t testing.TB, family scenario.Family, driver dut.Driver, mode string, ues int, change func(*uegateway.Config)) lab {
	t.Helper()
	sitetest.Privileged(t)
	s := defaults(t)
	s.UE.Family = family
	claim, err := host.NewClaim(host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	closing(t, claim.Close)
	spec := sitetest.Spec(claim.Run)
	spec.MTU = 1544
	if family.IPv6() {
		spec.UEPools = append(spec.UEPools, s.UE.Pool6)
		spec.N6.Tester6, spec.N6.UPF6 = s.N6.DN6, s.N6.UPF6
	}
	tb, err := netns.Build(claim, spec)
	if err != nil {
		t.Fatal(err)
	}
	closing(t, tb.Close)
	in, err := driver.Start(context.Background(), dut.Env{Mode: mode, Scenario: s, Site: tb})
	if err != nil {
		t.Fatal(err)
	}
	closing(t, in.Stop)
	c := uegateway.Config{Claim: claim, Site: tb, Plain: in.Endpoint.Kind == dut.Router}
	for i := range ues {
		c.UEs = append(c.UEs, uegateway.UE{UplinkTEID: 1 + 2*uint32(i), DownlinkTEID: 2 + 2*uint32(i), QFI: s.QFI})
		address, address6 := scenario.UE{Family: scenario.FamilyBoth, First: s.UE.First, First6: s.UE.First6}.Of(i)
		if family.IPv4() {
			c.Pool, c.UEs[i].Address = s.UE.Pool, address
		}
		if family.IPv6() {
			c.Pool6, c.UEs[i].Address6 = s.UE.Pool6, address6
		}
	}
	if change != nil {
		change(&c)
	}
	g, err := uegateway.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	closing(t, g.Close)
	if _, err := tb.PrepareReceive(site.Receive{SinkNAPI: true}); err != nil {
		t.Fatal(err)
	}
	return lab{tb, g, s.N6.DN, s.N6.DN6}
}

func closing(t testing.TB, f func() error) {
	t.Cleanup(func() {
		if err := f(); err != nil {
			t.Error(err)
		}
	})
}

func defaults(t testing.TB) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Get("load-latency")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a program as a UE and gives its output.
func (l lab) run(t *testing.T, args ...string) string {
	t.Helper()
	return l.runWith(t, netip.Addr{}, args...)
}

// within is time enough for anything on a busy machine.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ways are what forwards in the UPF's place.
var ways = map[string]struct {
	driver dut.Driver
	mode   string
}{
	"plain": {n6.Driver{}, ""}, "tc": {decap.Driver{}, "tc"}, "XDP": {decap.Driver{}, "xdp"},
}

// TestPing: echoes cross the gateway, full ones too, and each packet is counted.
func TestPing(t *testing.T) {
	for name, driver := range ways {
		t.Run(name, func(t *testing.T) {
			l := openLab(t, driver.driver, driver.mode, 3, nil)
			l.run(t, "ping", "-c", "3", "-i", "0.05", "-W", "5", l.dn.String())
			l.run(t, "ping", "-c", "3", "-i", "0.05", "-W", "5", "-I", "10.45.0.4", "-s", "1472", "-M", "do", l.dn.String())
			c, err := l.gateway.Counters()
			if err != nil {
				t.Fatal(err)
			}
			if name != "plain" && (c.UplinkPackets != 6 || c.DownlinkPackets != 6 || len(c.Dropped) > 0 || c.OtherQFI > 0) {
				t.Errorf("counted %+v, want 6 packets each way", c)
			}
		})
	}
}

// TestPingIPv6: the same of IPv6, as the default UE, another one, and from another address of its prefix;
// of UEs with IPv6 alone and with both families.
func TestPingIPv6(t *testing.T) {
	for name, driver := range ways {
		for _, family := range []scenario.Family{scenario.FamilyIPv6, scenario.FamilyBoth} {
			t.Run(name+" "+string(family), func(t *testing.T) {
				l := openLabOf(t, family, driver.driver, driver.mode, 3, nil)
				ping := []string{"ping", "-6", "-c", "3", "-i", "0.05", "-W", "5"}
				l.run(t, append(ping, l.dn6.String())...)
				l.run(t, append(ping, "-I", "2001:db8:45:3::2", "-s", "1452", "-M", "do", l.dn6.String())...)
				l.run(t, append(ping, "-I", "2001:db8:45:2:1:2:3:4", l.dn6.String())...)
				want := uint64(9)
				if family.IPv4() {
					l.run(t, "ping", "-c", "3", "-i", "0.05", "-W", "5", "-I", "10.45.0.4", l.dn.String())
					want += 3
				}
				c, err := l.gateway.Counters()
				if err != nil {
					t.Fatal(err)
				}
				if name != "plain" && (c.UplinkPackets != want || c.DownlinkPackets != want || len(c.Dropped) > 0 || c.OtherQFI > 0) {
					t.Errorf("counted %+v, want %d packets each way", c, want)
				}
			})
		}
	}
}
