package measure

import (
	"net/netip"
	"slices"
	"testing"
)

// TestPings: of a UE with both families, each command names its family.
func TestPings(t *testing.T) {
	four, six := netip.MustParseAddr("10.45.0.3"), netip.MustParseAddr("2001:db8:45:2::2")
	for _, c := range []struct {
		addresses []netip.Addr
		want      []string
	}{
		{[]netip.Addr{four}, []string{"ping -I 10.45.0.3"}},
		{[]netip.Addr{six}, []string{"ping -I 2001:db8:45:2::2"}},
		{[]netip.Addr{four, six}, []string{"ping -4 -I 10.45.0.3", "ping -6 -I 2001:db8:45:2::2"}},
	} {
		if got := pings(c.addresses); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.addresses, got, c.want)
		}
	}
}
