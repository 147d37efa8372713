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
	dn      netip.Addr
}

func openLab(t testing.TB, driver dut.Driver, mode string, ues int, change func(*uegateway.Config)) lab {
	t.Helper()
	sitetest.Privileged(t)
	s := defaults(t)
	claim, err := host.NewClaim(host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	closing(t, claim.Close)
	spec := sitetest.Spec(claim.Run)
	spec.MTU = 1544
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
	c := uegateway.Config{Claim: claim, Site: tb, Pool: s.UE.Pool, Plain: in.Endpoint.Kind == dut.Router}
	address := s.UE.First
	for i := range ues {
		c.UEs = append(c.UEs, uegateway.UE{Address: address, UplinkTEID: 1 + 2*uint32(i), DownlinkTEID: 2 + 2*uint32(i), QFI: s.QFI})
		address = address.Next()
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
	return lab{tb, g, s.N6.DN}
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

// TestPing: echoes cross the gateway, full ones too, and each packet is counted.
func TestPing(t *testing.T) {
	for name, driver := range map[string]struct {
		driver dut.Driver
		mode   string
	}{
		"plain": {n6.Driver{}, ""}, "tc": {decap.Driver{}, "tc"}, "XDP": {decap.Driver{}, "xdp"},
	} {
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
