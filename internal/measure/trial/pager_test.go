package trial

import (
	"encoding/hex"
	"net/netip"
	"testing"
)

// TestPageFrame: frames as scapy writes them, with UDP checksums over 172 or 152 octets of payload.
func TestPageFrame(t *testing.T) {
	from, to := [6]byte{2, 0, 0, 0, 6, 1}, [6]byte{2, 0, 0, 0, 6, 2}
	for _, c := range []struct{ dn, ue, want string }{
		{"192.168.16.152", "10.45.0.2", "0200000006020200000006010800450000c80000000040119eb6c0a810980a2d00020009000900b4b044"},
		{"2001:db8:6::2", "2001:db8:45:1::2", "02000000060202000000060186dd6000000000a0114020010db800060000000000000000000220010db8" +
			"0045000100000000000000020009000900a08074"},
	} {
		b := pageFrame(from, to, netip.MustParseAddr(c.dn), netip.MustParseAddr(c.ue))
		if got := hex.EncodeToString(b[:min(len(b), len(c.want)/2)]); len(b) != 214 || got != c.want {
			t.Errorf("to %s: %d octets, %s\nwant 214, %s", c.ue, len(b), got, c.want)
		}
	}
}
