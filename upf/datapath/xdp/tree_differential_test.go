package xdp

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// manyFilters gives a session n PDRs of each direction more, with filters that overlap.
func manyFilters(r *rand.Rand, n int) func(*session.Rules) {
	return func(rules *session.Rules) {
		rules.FARs = append(rules.FARs, session.FAR{ID: 3, Action: session.Drop})
		for way, first := range [2]session.PDR{rules.PDRs[0], rules.PDRs[1]} {
			rules.PDRs[way].Precedence = 1000
			for i := range n {
				p := first
				p.ID, p.Precedence = uint16(100+2*i+way), uint32(r.UintN(100))
				p.PDI.Filters = []session.Filter{randomFilter(r)}
				if r.UintN(2) == 0 {
					p.FAR = 3
				}
				rules.PDRs = append(rules.PDRs, p)
			}
		}
	}
}

func randomFilter(r *rand.Rand) (f session.Filter) {
	some := func() []session.Ports {
		low := uint16(r.UintN(40))
		return []session.Ports{{Low: low, High: low + uint16(r.UintN(4))}}
	}
	if r.UintN(2) == 0 {
		f.Protocol, f.HasProtocol = [...]uint8{1, 6, 17}[r.UintN(3)], true
	}
	switch r.UintN(4) {
	case 0:
		f.RemotePorts = some()
	case 1:
		f.LocalPorts, f.RemotePorts = some(), some()
	case 2:
		f.Remote = netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(r.UintN(16))}), 28+r.IntN(5)).Masked()
	case 3:
		f.TOS, f.TOSMask = uint8(r.UintN(4)), 3
	}
	return f
}

// TestManyFiltersDiffer: with many filters the programs, which have trees of them, and the
// forwarder, which has lists, do the same.
func TestManyFiltersDiffer(t *testing.T) {
	d, r := newDifferential(t), rand.New(rand.NewPCG(3, 4))
	var old *session.Rules
	for range 10 {
		now := pair(0x7777, "10.45.7.7", 0x7777, manyFilters(r, 1+r.IntN(100)))
		change := []datapath.Change{{Old: old, New: now}}
		must(t, "Apply", d.dp.Apply(change))
		must(t, "Apply to the forwarder", d.forwarder.Apply(change))
		old = now
		for range 40 {
			d.compareFiltered(t, r, "n3 psc", 58)
			d.compareFiltered(t, r, "n6 qfi", 14)
		}
	}
}

// compareFiltered compares what becomes of a random packet, whose IP header is at an offset.
func (d *differential) compareFiltered(t *testing.T, r *rand.Rand, name string, at int) {
	frame, n6 := benchFrame(t, name)[:at+60], name[:2] == "n6"
	local, remote := frame[at+12:], frame[at+16:]
	if n6 {
		local, remote = remote, local
	} else {
		binary.BigEndian.PutUint32(frame[46:], 0x7777)
	}
	copy(local, []byte{10, 45, 7, 7})
	copy(remote, []byte{198, 51, 100, byte(r.UintN(16))})
	if r.UintN(2) == 0 {
		remote[3] = 2 // which has a neighbour
	}
	frame[at+1], frame[at+9] = byte(r.UintN(4)), [...]byte{1, 6, 17, 50}[r.UintN(4)]
	binary.BigEndian.PutUint16(frame[at+20:], uint16(r.UintN(45)))
	binary.BigEndian.PutUint16(frame[at+22:], uint16(r.UintN(45)))
	if diff := d.compare(t, n6, frame); diff != "" {
		t.Fatalf("%s %x:\n%s", name, frame, diff)
	}
}
