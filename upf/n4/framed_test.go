package n4

import (
	"net/netip"
	"slices"
	"testing"
)

// TestFramedRoutes: the prefixes of the routes, without gateway and metrics, masked.
func TestFramedRoutes(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "framed")
	prefixes := func(list ...string) (all []netip.Prefix) {
		for _, p := range list {
			all = append(all, netip.MustParsePrefix(p))
		}
		return all
	}
	for id, want := range map[uint16][]netip.Prefix{
		1: prefixes("192.168.7.0/24", "2001:db8:7::/56"),
		2: prefixes("192.168.7.0/24", "172.30.0.0/16", "2001:db8:7::/56"),
	} {
		if got := b.rules().FindPDR(id).PDI.Framed; !slices.Equal(got, want) {
			t.Errorf("PDR %d: %v, want %v", id, got, want)
		}
	}
}

// TestFramedRoutesAreRefused where they are no prefixes, or too many.
func TestFramedRoutesAreRefused(t *testing.T) {
	for _, name := range []string{"framed-bad", "framed-family", "framed-many", "framed-all", "framed-empty"} {
		newBench(t, nil).play("setup", name)
	}
}
