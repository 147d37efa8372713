package lab

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// TestHopOfN4: it is the link of N4, or the one that leads to the UPF's; without a route there is none.
func TestHopOfN4(t *testing.T) {
	links := sitetest.Build(t).Links()
	own, found := hopOfN4(links, links.UPFN4.Addr)
	if !found || own.Port.Index != links.SMFN4.Index || own.UDP != 0 {
		t.Errorf("a link of ours: %+v, %v", own, found)
	}
	links.SMFN4 = netdev.Port{}
	if _, found := hopOfN4(links, netip.MustParseAddr("203.0.113.77")); found {
		t.Error("a link is found that leads to an address without a route")
	}
	if led, found := hopOfN4(links, links.UPFN3.Addr); !found || led.Port.Index != links.GNB.Index || led.UDP == 0 {
		t.Errorf("the link that leads there: %+v, %v", led, found)
	}
}
