package attack

import (
	"bytes"
	"encoding/binary"
	"net/netip"
)

// Inputs that are kept name addresses, TEIDs and SEIDs by placeholders, since they are
// others in each run: addresses for documentation (RFC 5737), and numbers that hardly
// come by chance.
const (
	teidPlaceholder = 0x7e1d5a00
	seidPlaceholder = 0x5e1d5e1d5e1d5e00
)

var (
	smfPlaceholder = netip.MustParseAddr("192.0.2.4")
	n3Placeholder  = netip.MustParseAddr("192.0.2.3")
	gnbPlaceholder = netip.MustParseAddr("192.0.2.1")
	dnPlaceholder  = netip.MustParseAddr("198.51.100.10")
	uePlaceholder  = netip.MustParseAddr("203.0.113.1") // of the first of the attacker's sessions
)

// pair is octets as they are in this run, and their placeholder.
type pair struct{ real, placeholder []byte }

// pairs are those of a target; the longest come first.
func (g *target) pairs() (list []pair) {
	for i, s := range g.sessions {
		list = append(list, pair{binary.BigEndian.AppendUint64(nil, s.seid), binary.BigEndian.AppendUint64(nil, seidPlaceholder+uint64(i))})
	}
	for i, s := range g.sessions {
		list = append(list, pair{binary.BigEndian.AppendUint32(nil, s.ue.TEID), binary.BigEndian.AppendUint32(nil, teidPlaceholder+uint32(i))},
			pair{s.ue.Addr.AsSlice(), placed(uePlaceholder, i)})
	}
	for _, a := range [][2]netip.Addr{{g.peer.Node, smfPlaceholder}, {g.net.UPF, n3Placeholder},
		{g.net.GNB[0], gnbPlaceholder}, {g.net.DN[0], dnPlaceholder}} {
		list = append(list, pair{a[0].AsSlice(), a[1].AsSlice()})
	}
	return list
}

func placed(first netip.Addr, n int) []byte {
	a := first.As4()
	a[3] += byte(n)
	return a[:]
}

// kept gives inputs as they are kept.
func (g *target) kept(list []Input) []Input {
	return g.replaced(list, func(p pair) (from, to []byte) { return p.real, p.placeholder })
}

// live gives inputs that were kept as they are sent to this target.
func (g *target) live(list []Input) []Input {
	return g.replaced(list, func(p pair) (from, to []byte) { return p.placeholder, p.real })
}

func (g *target) replaced(list []Input, way func(pair) (from, to []byte)) []Input {
	out := make([]Input, len(list))
	for i, in := range list {
		out[i] = in
		for _, p := range g.pairs() {
			from, to := way(p)
			out[i].Data = bytes.ReplaceAll(out[i].Data, from, to)
		}
	}
	return out
}
