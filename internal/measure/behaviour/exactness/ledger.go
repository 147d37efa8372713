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
	unknown      // its session is gone: it is nobody's
)

// span is what a count has to be: between two numbers, which are one where nothing was lost.
type span struct{ from, to float64 }

func known(n int) span { return span{float64(n), float64(n)} }

func (s span) plus(o span) span { return span{s.from + o.from, s.to + o.to} }

// way is one direction. What passed is between what arrived and what was sent; what a rule dropped went into the UPF.
type way struct {
	packets, octets               span
	droppedPackets, droppedOctets float64
}

// in is what went into the UPF. Where the bench has lost packets that were to pass, it may have lost others as well.
func (w *way) in(lost bool) (packets, octets span) {
	packets, octets = w.packets.plus(span{w.droppedPackets, w.droppedPackets}), w.octets.plus(span{w.droppedOctets, w.droppedOctets})
	if lost {
		packets.from, octets.from = w.packets.from, w.octets.from
	}
	return packets, octets
}

// ledger is what the bench knows of packets, and of messages of N4.
type ledger struct {
	up, down way
	lost     bool      // a packet that was to pass
	nobodys  float64   // packets of sessions that are gone: a UPF drops them, or its kernel has them
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
	switch became {
	case unknown:
		l.nobodys++
	case dropped:
		w.droppedPackets++
		w.droppedOctets += octets
	case passes:
		w.packets.to++
		w.octets.to += octets
		if f.Arrived.IsZero() {
			l.lost = true
			return
		}
		w.packets.from++
		w.octets.from += octets
	}
}

// of is what a counter has to rise by.
func (l *ledger) of(q dut.Quantity) span {
	packetsIn, octetsIn := l.up.in(l.lost)
	gone := l.up.droppedPackets + l.down.droppedPackets
	sent, arrived := l.up.packets.to+l.down.packets.to, l.up.packets.from+l.down.packets.from
	return map[dut.Quantity]span{
		dut.PacketsFromN3: packetsIn, dut.OctetsFromN3: octetsIn,
		dut.PacketsToN3: l.down.packets, dut.OctetsToN3: l.down.octets,
		dut.PacketsToN6: l.up.packets, dut.OctetsToN6: l.up.octets,
		dut.PacketsSent:    l.up.packets.plus(l.down.packets),
		dut.PacketsDropped: {gone, gone + l.nobodys + sent - arrived},
		dut.Establishments: known(l.asked), dut.SessionReports: l.reports, dut.SessionsThereAre: known(l.sessions),
	}[q]
}

// number is one of a URR, and what it has to be.
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
	all := number{"octets", v.Total, up.octets.plus(down.octets)}
	if !k.up || !k.down {
		return []number{all}
	}
	return []number{all, {"octets uplink", v.Up, up.octets}, {"octets downlink", v.Down, down.octets},
		{"packets", v.Packets, up.packets.plus(down.packets)}, {"packets uplink", v.UpPkts, up.packets},
		{"packets downlink", v.DownPkts, down.packets}}
}
