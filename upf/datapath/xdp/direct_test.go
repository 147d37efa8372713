package xdp

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
)

// TestDisplacedTEIDs: TEIDs of one place are all found, whichever comes and goes first.
func TestDisplacedTEIDs(t *testing.T) {
	l := newLab(t, labConfig())
	teids := []uint32{0x10001, 0x20001, 0x70001}
	forwards := func(i int) bool {
		frame := benchFrame(t, "n3 psc")
		binary.BigEndian.PutUint32(frame[46:], teids[i])
		copy(frame[58+12:], benchUE(i).AsSlice())
		renew(frame, 58)
		verdict, _ := l.run(t, "n3", frame)
		return verdict == xdpRedirect
	}
	add := func(i int) datapath.Change {
		return datapath.Change{New: pair(uint64(i+1), benchUE(i).String(), teids[i], nil)}
	}
	undo := func(c datapath.Change) datapath.Change { return datapath.Change{Old: c.New} }
	for _, order := range [][2][]int{{{0, 1, 2}, {0, 1, 2}}, {{2, 0, 1}, {1, 2, 0}}, {{1, 0, 2}, {2, 0, 1}}} {
		for _, i := range order[0] {
			must(t, "add", l.dp.Apply([]datapath.Change{add(i)}))
			if !forwards(i) {
				t.Errorf("TEID %#x is not found", teids[i])
			}
		}
		for n, i := range order[1] {
			must(t, "remove", l.dp.Apply([]datapath.Change{undo(add(i))}))
			for m, j := range order[1] {
				if forwards(j) != (m > n) {
					t.Errorf("TEID %#x after %d of %v went: found %v", teids[j], n+1, order[1], m <= n)
				}
			}
		}
		if n := len(l.contents(t)) + len(l.dp.rules.direct.displaced); n != 0 {
			t.Errorf("%d entries are left", n)
		}
	}
}

func TestSpans(t *testing.T) {
	prefixes := func(list ...string) (all []netip.Prefix) {
		for _, p := range list {
			all = append(all, netip.MustParsePrefix(p))
		}
		return all
	}
	for _, c := range []struct {
		story string
		pools []netip.Prefix
		want  []upfSpan
	}{
		{"no pool", nil, nil},
		{"none of IPv4", prefixes("2001:db8::/48"), nil},
		{"one that fits", prefixes("10.45.0.0/24"), []upfSpan{{First: 0x0a2d0000, Count: 256}}},
		{"one that is larger", prefixes("10.0.0.0/8"), []upfSpan{{First: 0x0a000000, Count: 1000}}},
		{"a small one and two large ones", prefixes("10.0.0.0/8", "10.45.0.0/24", "172.16.0.0/12"),
			[]upfSpan{{First: 0x0a2d0000, Count: 256}, {First: 0xac100000, Count: 372, At: 256}, {First: 0x0a000000, Count: 372, At: 628}}},
		{"all addresses", prefixes("0.0.0.0/0"), []upfSpan{{Count: 1000}}},
	} {
		got := spansOf(c.pools, 1000)
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v, want %+v", c.story, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %+v, want %+v", c.story, got, c.want)
			}
		}
	}
}
