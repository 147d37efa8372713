package forward

import (
	"net/netip"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/wire/checksum"
)

// Direction is uplink or downlink.
type Direction int

// The directions. Uplink packets come in by N3 and leave by N6.
const (
	Uplink Direction = iota
	Downlink
	Directions
)

// Config of a Forwarder.
type Config struct {
	N3Address   netip.Addr     // the local address of the tunnels, IPv4
	UEPools     []netip.Prefix // IPv4
	MaxSessions int
	AllowNested bool // UEs may send GTP-U
	// Routers find the next hops of packets by direction: of the inner destination
	// uplink, of the gNB downlink.
	Routers [Directions]Router
}

// Forwarder decides about frames and writes those that are sent. It is one
// goroutine's.
type Forwarder struct {
	*Table
	n3       [4]byte
	routers  [Directions]Router
	counters datapath.Counters
	drops    [maxReasons]uint64
	id       uint16 // of the next outer header
}

// maxReasons is more than there are reasons.
const maxReasons = 64

// New makes a forwarder without sessions.
func New(c Config) *Forwarder {
	f := &Forwarder{Table: NewTable(c.MaxSessions, c.UEPools), n3: c.N3Address.As4(), routers: c.Routers}
	f.allowNested = c.AllowNested
	return f
}

// Decision is what becomes of a frame.
type Decision struct {
	Verdict Verdict
	// TPDU is the inner IPv4 packet, as it was received, when the session's rules
	// forward it; a part of the frame. It is there, too, when there is no route for
	// it or it does not fit the link.
	TPDU []byte
	// Bytes is the length of the frame to be written, when the verdict is Forward.
	Bytes int

	tunnel *Tunnel // nil: the T-PDU leaves plain
	hop    Hop
}

// Decide says what becomes of a frame that came in by a direction's port. Drops
// and what is the kernel's are counted. The decision refers to the frame and to the
// rules; Write it before either changes.
func (f *Forwarder) Decide(way Direction, frame []byte, now uint64) Decision {
	d := f.lookup(way, frame)
	if d.Verdict == Forward {
		f.route(way, &d, now)
	}
	if reason, dropped := d.Verdict.Reason(); dropped {
		f.drops[reason]++
	} else if d.Verdict == Pass {
		f.counters.Passed++
	}
	return d
}

func (f *Forwarder) lookup(way Direction, frame []byte) (d Decision) {
	if way == Uplink {
		message, v := datagram(frame, f.n3)
		if v != Forward {
			return Decision{Verdict: v}
		}
		d.TPDU, d.Verdict = f.Decapsulate(message)
		return d
	}
	ip := ipv4Of(frame)
	if ip == nil {
		return Decision{Verdict: Pass}
	}
	d.TPDU, d.tunnel, d.Verdict = f.Encapsulate(ip)
	return d
}

// route finds the way out and whether the packet fits it.
func (f *Forwarder) route(way Direction, d *Decision, now uint64) {
	length, to := len(d.TPDU), destination(d.TPDU)
	if d.tunnel != nil {
		length, to = length+d.tunnel.outerBytes(), d.tunnel.Peer
	}
	d.hop, d.Verdict = f.routers[way].Route(to, now)
	switch {
	case d.Verdict != Forward && way == Downlink: // the kernel has no tunnels
		d.Verdict = Drop(datapath.ReasonNoRoute)
	case d.Verdict == Forward && length > d.hop.MTU:
		d.Verdict = Drop(datapath.ReasonTooBig)
	}
	d.Bytes = EthernetBytes + length
}

// Write makes the frame that a decision forwards in to, which has room for its
// Bytes, and counts it. tpdu is where in the frame the inner packet begins.
func (f *Forwarder) Write(to []byte, d *Decision) (frame []byte, tpdu int) {
	frame = append(append(to[:0], d.hop.MACs[:]...), 8, 0)
	count := &f.counters.Uplink
	if d.tunnel != nil {
		count = &f.counters.Downlink
		frame = d.tunnel.appendOuter(frame, f.n3, f.id, len(d.TPDU))
		frame = d.tunnel.AppendHeader(frame, len(d.TPDU))
		f.id++
	}
	count.Packets++
	count.Bytes += uint64(len(d.TPDU))
	tpdu = len(frame)
	frame = append(frame, d.TPDU...)
	checksum.DecrementTTL(frame[tpdu:])
	return frame, tpdu
}

// Counters gives the totals since New.
func (f *Forwarder) Counters() datapath.Counters {
	c := f.counters
	c.Drops = map[datapath.Reason]uint64{}
	for r, n := range f.drops {
		if n > 0 {
			c.Drops[datapath.Reason(r)] = n
		}
	}
	return c
}
