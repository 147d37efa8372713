package main

import (
	"encoding/hex"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"
)

// Bytes by scapy 2.5 (contrib pfcp and gtp).
const (
	establish = "213200e3000000000000000000000500003c000500c0a80e010039000d020000000000000055c0a80e01" +
		"0001003a003800020001001d0004000000010002001b0014000100001500090100001234c0a80d97005d0005020a2d0001005f000100006c000400000001" +
		"00010028003800020002001d0004000000010002000e0014000101005d0005060a2d0001006c000400000002" +
		"00030016006c000400000001002c00010200040005002a000101" +
		"00030024006c000400000002002c00010200040013002a0001000054000a010000000077c0a80d01" +
		"0007000d006d000400000001007c000109"
	established = "2133002b000000000000005500000500003c000500c0a80e9700130001010039000d020000000000000055c0a80e97"

	onN3 = "02000000000202000000000108004500004d000100004011deb6c0a80d01c0a80d97086808680039dc5e34ff00290000123400000085" +
		"01100900" + uplink
	uplink     = "450000210001000040119f5d0a2d0001c0a8109800010002000de09068656c6c6f"
	onN6       = "0200000000040200000000030800" + downlink
	downlink   = "450000210001000040119f5dc0a810980a2d000100020001000de09068656c6c6f"
	tunnelled  = "02000000000102000000000208004500004d0000400040119eb7c0a80d97c0a80d01086808680039000034ff0029000000770000008501000900" + downlink
	otherTEID  = 0x1234 + 1
	positionOf = 14 + 20 + 8 + 4 // of the TEID, in a frame on N3
)

func octets(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDevice: a session of another encoder, and its packets, byte by byte.
func TestDevice(t *testing.T) {
	d := &n4{node: netip.MustParseAddr("192.168.14.151"), n3: netip.MustParseAddr("192.168.13.151"), began: time.Now()}
	d.rules.Store(&rules{of: map[uint64]session{}})
	n3 := &port{mac: octets(t, "020000000002"), peer: octets(t, "020000000001")}
	n6 := &port{mac: octets(t, "020000000005"), peer: octets(t, "020000000006")}
	if got := d.decapsulate(octets(t, onN3), n6); got != nil {
		t.Errorf("without a session: %x", got)
	}
	if got := hex.EncodeToString(d.reply(octets(t, establish))); got != established {
		t.Errorf("it answers\n%s, want\n%s", got, established)
	}
	if got, want := hex.EncodeToString(d.decapsulate(octets(t, onN3), n6)), "0200000000060200000000050800"+uplink; got != want {
		t.Errorf("uplink is\n%s, want\n%s", got, want)
	}
	if got := hex.EncodeToString(d.encapsulate(octets(t, onN6), n3)); got != tunnelled {
		t.Errorf("downlink is\n%s, want\n%s", got, tunnelled)
	}
	other := octets(t, onN3)
	other[positionOf+3] = otherTEID & 0xff
	if got := d.decapsulate(other, n6); got != nil {
		t.Errorf("of another TEID: %x", got)
	}
	for n := range octets(t, onN3) { // cut short: nothing is read behind the end
		d.decapsulate(octets(t, onN3)[:n:n], n6)
	}
	for n := range octets(t, onN6) {
		d.encapsulate(octets(t, onN6)[:n:n], n3)
	}
	for n := range octets(t, establish) {
		d.reply(octets(t, establish)[:n:n])
	}
}

// TestDue: what a device does to packets that come every 100 µs.
func TestDue(t *testing.T) {
	for _, c := range []struct {
		name  string
		b     Behaviour
		last  time.Duration // when the tenth packet leaves, after the first came
		lost  int
		count int
	}{
		{"forwards", Behaviour{}, 900 * time.Microsecond, 0, 10},
		{"holds", Behaviour{Hold: time.Millisecond}, 1900 * time.Microsecond, 0, 10},
		{"serves", Behaviour{Rate: 2000}, 4500 * time.Microsecond, 0, 10},
		{"loses", Behaviour{Loss: 1}, 0, 10, 10},
		{"is full", Behaviour{Rate: 10}, 6300 * time.Millisecond, 36, 100},
	} {
		l := &lane{behaviour: c.b, to: &port{peer: net.HardwareAddr{2, 0, 0, 0, 0, 1}}, random: seeded(1),
			change: func(f []byte, _ *port) []byte { return append([]byte{}, f...) }}
		f := append(octets(t, onN6)[:42], append([]byte{'f', 'u', 2, 0}, make([]byte, 40)...)...)
		for i := range c.count {
			l.take(f, 1e9+int64(i)*1e5)
		}
		if got := l.ledger[0]; got.In != c.count || got.Lost != c.lost || len(l.queue) != c.count-c.lost {
			t.Errorf("%s: %d in, %d lost, %d wait; want %d, %d", c.name, got.In, got.Lost, len(l.queue), c.count, c.lost)
		}
		if n := len(l.queue); n > 0 && l.queue[n-1].due != 1e9+int64(c.last) {
			t.Errorf("%s: the last leaves at %v, want %v", c.name, time.Duration(l.queue[n-1].due-1e9), c.last)
		}
	}
}

// TestVerdict: intervals of 95 % may miss one in twenty, and a table is not wrong because one row has missed two.
func TestVerdict(t *testing.T) {
	if got := leastWithin(20, 0.05); got != 17 { // P(X <= 16) is 1.6 %, P(X <= 17) 7.5 %
		t.Errorf("of 20 at 5 %%: %d", got)
	}
	if got := leastWithin(20, 0.005); got != 16 { // P(X <= 15) is 0.26 %, P(X <= 16) 1.6 %
		t.Errorf("of 20 at 0.5 %%: %d", got)
	}
	rows := (&examination{devices: devices("")}).expected()
	if len(rows) != 9 {
		t.Errorf("%d rows", len(rows))
	}
	if err := print(io.Discard, rows); err != errUnsaid {
		t.Errorf("nothing was said: %v", err)
	}
	for _, s := range rows {
		s.said, s.within, s.width = 20, 18, []float64{0.01}
	}
	if err := print(io.Discard, rows); err != nil {
		t.Errorf("18 of 20: %v", err)
	}
	if rows[0].within = 12; print(io.Discard, rows) != errMissed {
		t.Error("12 of 20 is right")
	}
}
