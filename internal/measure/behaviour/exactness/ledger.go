package exactness

import (
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// fate is what is to become of a packet.
type fate int

const (
	passes  fate = iota
	dropped      // by a rule of its session
	late         // its session had been deleted: the UPF drops it, or still forwards it where it removes rules after its answer
)

// span is what a count has to be: between two numbers, which are equal where nothing was lost.
type span struct{ from, to float64 }

func known(n int) span { return span{float64(n), float64(n)} }

func (s span) plus(o span) span { return span{s.from + o.from, s.to + o.to} }

// amount is a number of packets, and their octets.
type amount struct{ packets, octets span }

func (a amount) plus(o amount) amount {
	return amount{a.packets.plus(o.packets), a.octets.plus(o.octets)}
}

// add counts a packet from the number that arrived or only to the number that was sent.
func (a *amount) add(octets float64, arrived bool) {
	a.packets.to++
	a.octets.to += octets
	if arrived {
		a.packets.from++
		a.octets.from += octets
	}
}

// way is one direction. What passed is between what arrived and what was sent, and so is what was late.
type way struct{ passed, dropped, late amount }

// in is what went into the UPF: what a rule dropped, too. Of what was late, a UPF that counts only packets of tunnels that it knows
// counts what it still forwarded. Where the bench has lost packets that were to pass, it may have lost others as well.
func (w *way) in(lost bool) amount {
	gone := w.dropped
	if lost {
		gone.packets.from, gone.octets.from = 0, 0
	}
	return w.out().plus(gone)
}

// out is what the UPF forwarded.
func (w *way) out() amount { return w.passed.plus(w.late) }

// ledger is what the bench knows of packets, and of messages of N4.
type ledger struct {
	up, down way
	lost     bool      // a packet that was to pass
	began    time.Time // when the first packet was sent
	asked    int       // establishments
	sessions int       // that there were when the counters were read
	reports  span
}

// add takes a packet down.
func (l *ledger) add(f *b.Fate, became fate) {
	if l.began.IsZero() {
		l.began = f.Sent
	}
	w, octets := &l.down, float64(f.Octets)
	if f.Up {
		w = &l.up
	}
	arrived := !f.Arrived.IsZero()
	switch became {
	case late:
		w.late.add(octets, arrived)
	case dropped:
		w.dropped.add(octets, true)
	case passes:
		w.passed.add(octets, arrived)
		l.lost = l.lost || !arrived
	}
}

// of is what a counter has to rise by.
func (l *ledger) of(q dut.Quantity) span {
	in, n3, n6 := l.up.in(l.lost), l.down.out(), l.up.out()
	sent, gone := n3.packets.plus(n6.packets), l.up.dropped.packets.plus(l.down.dropped.packets)
	return map[dut.Quantity]span{
		dut.PacketsFromN3: in.packets, dut.OctetsFromN3: in.octets,
		dut.PacketsToN3: n3.packets, dut.OctetsToN3: n3.octets,
		dut.PacketsToN6: n6.packets, dut.OctetsToN6: n6.octets,
		dut.PacketsSent:    sent,
		dut.PacketsDropped: {gone.from, gone.to + sent.to - sent.from},
		dut.Establishments: known(l.asked), dut.SessionReports: l.reports, dut.SessionsThereAre: known(l.sessions),
	}[q]
}

// number is a count of a URR, and what it has to be.
type number struct {
	name  string
	value *uint64
	want  span
}

// volume is what a URR of a kind counts: what passed (TS 29.244 clause 5.2.2.2.1).
func (l *ledger) volume(k kind, v *rules.Volume) []number {
	up, down := l.up, l.down
	if !k.up {
		up = way{}
	}
	if !k.down {
		down = way{}
	}
	both := up.passed.plus(down.passed)
	all := number{"octets", v.Total, both.octets}
	if !k.up || !k.down {
		return []number{all}
	}
	return []number{all, {"octets uplink", v.Up, up.passed.octets}, {"octets downlink", v.Down, down.passed.octets},
		{"packets", v.Packets, both.packets}, {"packets uplink", v.UpPkts, up.passed.packets},
		{"packets downlink", v.DownPkts, down.passed.packets}}
}
