package resilience

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// TestFamilies: packets of UEs with IPv6, plain and in tunnels over either family, are those of scapy; of a UE with
// both families the addresses take turns.
func TestFamilies(t *testing.T) {
	ue4, ue6 := netip.MustParseAddr("10.45.0.2"), netip.MustParseAddr("2001:db8:45:1::2")
	s := &Stream{net: behaviour.Net{DN: [2]netip.Addr{netip.MustParseAddr("198.18.0.10")},
		Six: behaviour.Net6{DN: netip.MustParseAddr("2001:db8:6::2")}}}
	m := packet.Mark{Run: 0x0102030405060708, Number: 1}
	up, down := s.inner(uplink, ue6).Bytes(m), s.inner(downlink, ue6).Bytes(m)
	tunnel := func(gnb, upf string) []byte {
		return packet.Outer{From: netip.MustParseAddr(gnb), To: netip.MustParseAddr(upf), TEID: 100_000, QFI: 1}.Encapsulate(up)
	}
	for _, c := range []struct {
		name   string
		got    []byte
		octets int
		begins string
	}{
		{"uplink", up, 200, "6000000000a0114020010db800450001000000000000000220010db800060000000000000000000213880fa000a04d4901020304050607080000000000000001"},
		{"downlink", down, 200, "6000000000a0114020010db800060000000000000000000220010db80045000100000000000000020fa0138800a04d4901020304050607080000000000000001"},
		{"over IPv4", tunnel("192.168.13.131", "192.168.13.151"), 244,
			"450000f4000000004011dd8ec0a80d83c0a80d970868086800e0000034ff00d0000186a00000008501100100"},
		{"over IPv6", tunnel("2001:db8:3::1", "2001:db8:3::2"), 264,
			"6000000000e0114020010db800030000000000000000000120010db80003000000000000000000020868086800e061ae34ff00d0000186a00000008501100100"},
	} {
		if begins := hex.EncodeToString(c.got[:len(c.begins)/2]); len(c.got) != c.octets || begins != c.begins {
			t.Errorf("%s: %d octets, %s\nwant %d, %s", c.name, len(c.got), begins, c.octets, c.begins)
		}
	}
	both := &ue{Established: smf.Established{Session: smf.Session{UE: ue4, UE6: ue6}}}
	one := &ue{Established: smf.Established{Session: smf.Session{UE: ue6}}}
	for n, want := range []netip.Addr{ue4, ue6, ue4} {
		if got := both.address(int64(n)); got != want || one.address(int64(n)) != ue6 {
			t.Errorf("packet %d of a UE with both families is of %s, of one with IPv6 of %s", n, got, one.address(int64(n)))
		}
	}
	if got := s.inner(downlink, ue4); got.From != s.net.DN[0] || got.To != ue4 {
		t.Errorf("to %s from %s", got.To, got.From)
	}
}
