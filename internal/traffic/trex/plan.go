package trex

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/traffic"
)

// plan is what a trial sends by which streams.
type plan struct {
	streams []stream
	whole   bool // all packets are of latency streams, which TRex counts one by one
	counted bool // streams end after their packets, rather than after a time
	pps     float64
}

// part is a shape of a flow and its share of the packets.
type part struct {
	flow, shape int
	share       float64
}

// maxBurst is the longest burst of TRex's, packets. Longer trials end by the time, after which TRex
// sends up to one packet more for each stream.
const maxBurst = math.MaxUint32

// errShape says what TRex is not asked for.
var errShape = errors.New("TRex sends at a steady rate here: set arrivals to constant")

// refuse reports a schedule that TRex cannot send as it is meant.
func refuse(s traffic.Schedule) error {
	switch {
	case len(s.Arrivals) > 0:
		return errShape
	case s.Burst:
		return errors.New("TRex sends no single bursts here: leave back-to-back searches out, or set engine to auto")
	}
	return nil
}

// partsOf are what a sequence has, each once. TRex sends them side by side, not in the
// sequence's order.
func partsOf(q traffic.Sequence) (list []part) {
	if len(q) == 0 {
		q = traffic.Only(0, 0)
	}
	for _, slot := range q {
		is := func(p part) bool { return p.flow == int(slot.Flow) && p.shape == int(slot.Shape) }
		i := slices.IndexFunc(list, is)
		if i < 0 {
			i = len(list)
			list = append(list, part{flow: int(slot.Flow), shape: int(slot.Shape)})
		}
		list[i].share += 1 / float64(len(q))
	}
	return list
}

// plan divides a schedule into streams: of each part one without statistics and one of
// latency, which all together send latencyPPS. A load of no more than that is of latency
// streams alone. base is the first number for packet groups.
func (e *Engine) plan(s traffic.Schedule, base uint32) (p plan, err error) {
	parts := partsOf(s.Sequence)
	p.pps = s.PPS
	if s.Max() {
		if p.pps, err = e.lineRate(parts); err != nil {
			return p, err
		}
	}
	measured := min(p.pps, e.latencyPPS)
	p.whole = measured == p.pps
	p.counted = !s.Max() && s.Slots(s.Duration) <= maxBurst
	slots := s.Slots(s.Duration)
	for i, x := range parts {
		one := stream{port: e.sender(x.flow), flow: x.flow, shape: x.shape}
		marked, rest := one, one
		marked.pps, marked.latency = x.share*measured, base+uint32(i)
		rest.pps = x.share * (p.pps - measured)
		if p.counted {
			n := x.count(s.Sequence, slots)
			marked.packets = uint32(math.Round(float64(n) * measured / p.pps))
			rest.packets = uint32(n) - marked.packets
		}
		p.add(marked)
		p.add(rest)
	}
	return p, nil
}

// add adds a stream, unless it sends nothing.
func (p *plan) add(s stream) {
	if s.pps > 0 && (s.packets > 0 || !p.counted) {
		p.streams = append(p.streams, s)
	}
}

// count is how many of the first n slots of a sequence send the part.
func (x part) count(q traffic.Sequence, n uint64) (packets uint64) {
	if len(q) == 0 {
		return n
	}
	rest := n % uint64(len(q))
	for i, slot := range q {
		if int(slot.Flow) != x.flow || int(slot.Shape) != x.shape {
			continue
		}
		packets += n / uint64(len(q))
		if uint64(i) < rest {
			packets++
		}
	}
	return packets
}

// endless is the plan without an end of its streams.
func (p *plan) endless() *plan {
	q := *p
	q.streams = slices.Clone(p.streams)
	for i := range q.streams {
		q.streams[i].packets = 0
	}
	return &q
}

// onLine is what a frame takes on an Ethernet line beyond its octets: FCS, preamble and gap.
const onLine = 4 + 8 + 12

// lineRate is how many packets/s of these parts fill the slower of the lines that they go
// over.
func (e *Engine) lineRate(parts []part) (float64, error) {
	lowest := 0.0
	for flow, f := range e.flows {
		var bits float64
		for _, x := range parts {
			if x.flow == flow {
				bits += x.share * float64(8*(f.FrameBytes(f.Streams[0], x.shape)+onLine))
			}
		}
		if bits == 0 {
			continue
		}
		speed := e.server.ports[e.sender(flow)].speed
		if speed <= 0 {
			return 0, fmt.Errorf("TRex does not know the speed of its port %d, so there is no load of max: set loads", e.sender(flow))
		}
		if pps := speed / bits; lowest == 0 || pps < lowest {
			lowest = pps
		}
	}
	return lowest, nil
}

// pps is what the streams of a flow send together.
func (p *plan) ofFlow(flow int) (pps float64) {
	for _, s := range p.streams {
		if s.flow == flow {
			pps += s.pps
		}
	}
	return pps
}

// groups are the latency streams of a flow.
func (p *plan) groups(flow int) (list []uint32) {
	for _, s := range p.streams {
		if s.flow == flow && s.latency != 0 {
			list = append(list, s.latency)
		}
	}
	return list
}

// ports are those that send.
func (p *plan) ports() (list []int) {
	for _, s := range p.streams {
		if !slices.Contains(list, s.port) {
			list = append(list, s.port)
		}
	}
	return list
}
