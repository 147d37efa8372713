package forward

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
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
	N3Address  netip.Addr // the local address of the tunnels, IPv4
	N3Address6 netip.Addr // the IPv6 one; invalid: there is none
	// N6 is where tunnels on N6 begin and end.
	N6          datapath.N6Tunnels
	UEPools     []netip.Prefix
	MaxSessions int
	AllowNested bool // UEs may send GTP-U
	// KernelRoutes is set by a datapath whose T-PDUs go through the kernel's IP
	// forwarding on N6's side: that decrements the TTL and has dropped what had none left.
	KernelRoutes bool
	// NoRelay is set by a datapath in which nothing comes from N3 and leaves by N3: rules
	// that want that are refused.
	NoRelay bool
	// NoECN has outer headers leave with an ECN field of 0: RFC 6040's compatibility mode.
	NoECN bool
	// Routers find the next hops of packets by direction: of the inner destination
	// uplink, of the gNB downlink.
	Routers [Directions]Router
	// Prepare is told the end of each tunnel that packets of new rules go into, by the direction
	// that they leave in: a datapath that resolves next hops itself does it before they come. It is
	// called by who calls Control.Apply, while workers forward, and may take its time.
	Prepare [Directions]func(netip.Addr)
}

// Forwarder decides about frames and writes those that are sent. It is one
// goroutine's.
type Forwarder struct {
	*Table
	n3       [4]byte
	n36      netip.Addr
	routers  [Directions]Router
	prepare  [Directions]func(netip.Addr)
	counters datapath.Counters
	drops    [maxReasons]uint64
	id       uint16              // of the next outer header
	slow     func(datapath.Slow) // nil: nobody sends what the caller cannot
	writing  []byte              // of a Slow
}

// maxReasons is more than there are reasons.
const maxReasons = 64

// New makes a forwarder without sessions.
func New(c Config) *Forwarder {
	f := &Forwarder{Table: NewTable(c.MaxSessions, c.UEPools), n3: c.N3Address.As4(), routers: c.Routers}
	f.prepare = c.Prepare
	f.n36, f.outer6 = c.N3Address6, c.N3Address6.IsValid()
	f.n6 = c.N6
	f.allowNested, f.kernelRoutes, f.noRelay, f.noECN = c.AllowNested, c.KernelRoutes, c.NoRelay, c.NoECN
	return f
}

// prepareFor tells Prepare the ends of tunnels that changed rules have, and had not before. It reads
// nothing that packets or Apply change.
func (f *Forwarder) prepareFor(changes []datapath.Change) {
	for _, c := range changes {
		if c.New == nil {
			continue
		}
		for i := range c.New.FARs {
			if o := c.New.FARs[i].Outer; o != nil && !hasEnd(c.Old, o) {
				f.prepareOne(o)
			}
		}
	}
}

// hasEnd reports whether packets of the rules, which may be nil, go to the tunnel's end already.
func hasEnd(r *session.Rules, o *session.OuterHeader) bool {
	return r != nil && slices.ContainsFunc(r.FARs, func(f session.FAR) bool {
		return f.Outer != nil && f.Outer.Peer == o.Peer && f.Outer.Kind.OnN6() == o.Kind.OnN6()
	})
}

func (f *Forwarder) prepareOne(o *session.OuterHeader) {
	way := Downlink
	if o.Kind.OnN6() {
		way = Uplink
	}
	if f.prepare[way] != nil {
		f.prepare[way](o.Peer)
	}
}

// Decision is what becomes of a packet.
type Decision struct {
	Verdict Verdict
	// TPDU is the inner IP packet, as it was received but for its ECN field, when the session's rules
	// forward it; a part of the frame. It is there, too, when there is no route for
	// it or it does not fit the link.
	TPDU []byte
	// Bytes is the length of the frame to be written, when the verdict is Forward.
	Bytes int
	// Tunnel is where the T-PDU goes, downlink or to another UPF: by N3. nil: it leaves
	// by N6, plain, or in the tunnel Exit.
	Tunnel *Tunnel
	Exit   *Exit
	// Container is the content of the PDU session container that goes into the Tunnel as it came out
	// of another, a part of the frame; nil: the Tunnel says what the container is.
	Container []byte

	row  *row // that forwards the packet
	hop  Hop
	mtu  int  // of Slow: what the packet does not fit, octets; 0: it fits
	aged bool // the kernel has decremented the TTL
	now  uint64
}

// isRelayed: a packet that stays in tunnels is not routed, and keeps its TTL.
func (d *Decision) isRelayed() bool { return d.row.relays != nil }

// Decide says what becomes of a frame that came in by a direction's port. Drops
// and what is the kernel's are counted. The decision refers to the frame and to the
// rules; Write it before either changes. now is the clock of the routers, ns.
func (f *Forwarder) Decide(way Direction, frame []byte, now uint64) Decision {
	ip := ipOf(frame)
	if ip == nil {
		return f.decided(Decision{Verdict: Pass})
	}
	return f.DecideIP(way, ip, now)
}

// DecideIP is Decide for the IP packet of a frame, of 20 octets at least, 40 of IPv6.
func (f *Forwarder) DecideIP(way Direction, ip []byte, now uint64) Decision {
	switch {
	case way == Downlink && f.n6.Any():
		return f.decideN6(ip, now)
	case way == Downlink:
		return f.DecidePacket(ip, now)
	case isIPv6(ip):
		message, v := datagram6(ip, f.n36)
		if v != Forward {
			return f.decided(Decision{Verdict: v})
		}
		return f.DecideMessage(message, ECN(ip), now)
	}
	message, v := datagram(ip, f.n3)
	if v != Forward {
		return f.decided(Decision{Verdict: v})
	}
	return f.DecideMessage(message, ECN(ip), now)
}

// DecideMessage is Decide for a GTP-U message as a UDP socket gives it, out of an IP packet with
// the ECN field.
func (f *Forwarder) DecideMessage(message []byte, ecn uint8, now uint64) (d Decision) {
	var h gtpu.Header
	d.TPDU, d.row, h, d.Verdict = f.decapsulate(message, ecn)
	way := Uplink
	if d.row != nil {
		if d.Exit = d.row.exit; d.row.relays != nil {
			d.Tunnel, way = d.row.relays.of(&h), Downlink
			d.Container = d.row.kept(&h)
		}
	}
	f.route(way, &d, now)
	return f.routed(d, &h)
}

// routed copies a packet that is forwarded, where its row asks for that, and hands on one that the
// caller cannot send.
func (f *Forwarder) routed(d Decision, h *gtpu.Header) Decision {
	if (d.Verdict == Forward || d.Verdict == Slow) && d.row.copied {
		f.handOn(d.row, datapath.Held{Copy: true, TPDU: d.TPDU, QFI: h.Container.QFI, RQI: h.Container.RQI})
	}
	if d.Verdict == Slow {
		f.sendSlow(&d)
	}
	return f.decided(d)
}

// DecidePacket is Decide for an IP packet from N6 as a TUN device gives it. It has
// 20 octets at least, 40 of IPv6.
func (f *Forwarder) DecidePacket(ip []byte, now uint64) (d Decision) {
	return f.DecideTunnelled(ip, session.GTPU, now)
}

// decideN6 is Decide for an IP packet from N6 that may come in a tunnel there.
func (f *Forwarder) decideN6(ip []byte, now uint64) Decision {
	tpdu, kind, v := unwrap(ip, &f.n6)
	switch {
	case v == Pass:
		return f.DecidePacket(ip, now)
	case v != Forward:
		return f.decided(Decision{Verdict: v})
	}
	return f.DecideTunnelled(tpdu, kind, now)
}

// DecidePayload is Decide for what came to the UPF's end of a tunnel on N6 of the kind, without the
// outer headers, of which the last said what protocol it is, and one had the ECN field.
func (f *Forwarder) DecidePayload(payload []byte, kind session.Encapsulation, protocol, ecn byte, now uint64) Decision {
	tpdu, v := entering(payload, protocol)
	if v == Forward {
		v = decapsulated(tpdu, ecn)
	}
	if v != Forward {
		return f.decided(Decision{Verdict: v})
	}
	return f.DecideTunnelled(tpdu, kind, now)
}

// DecideTunnelled is DecidePacket for a packet that came by a tunnel on N6; GTPU: by none. Its
// lengths are right then.
func (f *Forwarder) DecideTunnelled(ip []byte, kind session.Encapsulation, now uint64) (d Decision) {
	d.TPDU, d.row, d.Verdict = f.encapsulate(ip, kind)
	if d.row != nil {
		d.Tunnel = d.row.tunnel
	}
	d.aged = f.kernelRoutes && !kind.OnN6()
	f.route(Downlink, &d, now)
	return f.routed(d, &gtpu.Header{})
}

// decided counts a decision that nothing more is done for.
func (f *Forwarder) decided(d Decision) Decision {
	if reason, dropped := d.Verdict.Reason(); dropped {
		f.drops[reason]++
	} else if d.Verdict == Pass {
		f.counters.Passed++
	}
	return d
}

// route finds the way out and whether the packet fits it.
func (f *Forwarder) route(way Direction, d *Decision, now uint64) {
	if d.Verdict != Forward {
		return
	}
	d.now = now
	length, to := len(d.TPDU), destinationOf(d.TPDU)
	switch {
	case d.Tunnel != nil:
		length, to = length+d.Tunnel.outerBytes(d.Container), d.Tunnel.address()
	case d.Exit != nil:
		length, to = length+d.Exit.Kind.Octets(), d.Exit.Peer
	case !isIPv6(d.TPDU) && isUnroutable(destination(d.TPDU)):
		d.Verdict = Drop(datapath.ReasonUnroutable)
		return
	}
	d.hop, d.Verdict = f.routers[way].Route(to, now)
	if d.Verdict == Slow && f.slow == nil {
		d.Verdict = Drop(datapath.ReasonNoRoute)
	}
	sent := d.Verdict == Forward || d.Verdict == Slow
	switch {
	case !sent && (way == Downlink || d.Exit != nil): // the kernel has no tunnels
		d.Verdict = Drop(datapath.ReasonNoRoute)
	case sent && length > d.hop.MTU && !f.fragments(d):
		d.Verdict = Drop(datapath.ReasonTooBig)
		if f.notice != nil && d.row.relays == nil && (isIPv6(d.TPDU) || isWhole(d.TPDU)) {
			f.notice(datapath.Notice{SEID: d.row.seid, Uplink: way == Uplink, MTU: d.hop.MTU - length + len(d.TPDU), Packet: d.TPDU})
		}
	case sent && d.row.usedUp():
		d.Verdict = Drop(datapath.ReasonQuota)
	case sent && !d.row.admit(len(d.TPDU), now):
		d.Verdict = Drop(datapath.ReasonRate)
	case sent && length > d.hop.MTU:
		d.Verdict, d.mtu = Slow, d.hop.MTU
	}
	d.Bytes = EthernetBytes + length
}

// Write makes the frame that a decision forwards in to, which has room for its
// Bytes, and counts it. tpdu is where in the frame the inner packet begins.
func (f *Forwarder) Write(to []byte, d *Decision) (frame []byte, tpdu int) {
	frame = f.headers(to, d)
	tpdu = len(frame)
	frame = append(frame, d.TPDU...)
	if !d.isRelayed() && !d.aged {
		Age(frame[tpdu:])
	}
	if d.isSealed() {
		seal(frame[:tpdu], frame[tpdu:])
	}
	return frame, tpdu
}

// WriteHead makes the headers that go before the T-PDU, to which what Write does is done
// in place, and counts the frame. It is for who sends a frame in two pieces.
func (f *Forwarder) WriteHead(to []byte, d *Decision) (head []byte) {
	if !d.isRelayed() {
		Age(d.TPDU)
	}
	head = f.headers(to, d)
	if d.isSealed() {
		seal(head, d.TPDU)
	}
	return head
}

// isSealed reports whether the outer headers have a checksum over all.
func (d *Decision) isSealed() bool {
	return d.Tunnel != nil && d.Tunnel.Peer6.IsValid() || d.Exit != nil && d.Exit.Kind == session.UDPv6
}

// etherType is that of the frame that leaves.
func (d *Decision) etherType() uint16 {
	six := isIPv6(d.TPDU)
	switch {
	case d.Tunnel != nil:
		six = d.Tunnel.Peer6.IsValid()
	case d.Exit != nil:
		six = d.Exit.Kind.IsIPv6()
	}
	if six {
		return etherIPv6
	}
	return etherIPv4
}

// HeadMax is more than the headers of WriteHead have, octets.
const HeadMax = 144

// headers makes a frame's headers up to the T-PDU's.
func (f *Forwarder) headers(to []byte, d *Decision) []byte {
	frame := binary.BigEndian.AppendUint16(append(to[:0], d.hop.MACs[:]...), d.etherType())
	switch {
	case d.Exit != nil:
		frame = d.Exit.appendOuter(frame, &f.n6, f.id, d.TPDU)
		f.id++
	case d.isSealed():
		frame = d.Tunnel.appendOuter6(frame, f.n36, d.Container, d.TPDU)
	case d.Tunnel != nil:
		frame = d.Tunnel.appendOuter(frame, f.n3, f.id, d.Container, d.TPDU)
		f.id++
	}
	if d.Tunnel != nil {
		frame = d.Tunnel.AppendHeader(frame, d.Container, len(d.TPDU))
	}
	f.Forwarded(d)
	return frame
}

// Forwarded counts a packet that the caller sends without Write.
func (f *Forwarder) Forwarded(d *Decision) {
	count := &f.counters.Uplink
	if d.row.from == session.Core {
		count = &f.counters.Downlink
	}
	count.Packets++
	count.Bytes += uint64(len(d.TPDU))
	f.use(d)
}

// Counters gives the totals since New.
func (f *Forwarder) Counters() datapath.Counters {
	c := f.counters
	c.Accepted = f.accepted
	c.Drops = map[datapath.Reason]uint64{}
	for r, n := range f.drops {
		if n > 0 {
			c.Drops[datapath.Reason(r)] = n
		}
	}
	return c
}
