package behaviour

import (
	"net/netip"
	"testing"
)

// TestAddressOfSEID: TS 29.244 does not tie the address in a UP F-SEID to the Node ID or to where answers come from.
func TestAddressOfSEID(t *testing.T) {
	smf := netip.MustParseAddr("192.0.2.1")
	for at, right := range map[string]bool{"192.0.2.2": true, "198.51.100.7": true, "2001:db8::7": true,
		"0.0.0.0": false, "::": false, "224.0.0.1": false, "ff02::1": false, "192.0.2.1": false} {
		if flaw := flawOfSEID(netip.MustParseAddr(at), smf); (flaw == "") != right {
			t.Errorf("%s: %q", at, flaw)
		}
	}
	if flawOfSEID(netip.Addr{}, smf) == "" {
		t.Error("a UP F-SEID without an address passes")
	}
}
