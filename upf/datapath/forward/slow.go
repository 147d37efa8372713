package forward

import "github.com/upflab/upflab/upf/datapath"

// OnSlow sets the callback for packets that are forwarded and that the caller cannot send: their next
// hop is to be resolved, or they are to be fragmented.
func (f *Forwarder) OnSlow(to func(datapath.Slow)) { f.slow = to }

// fragments reports whether a packet that does not fit is fragmented: a T-PDU of IPv4 without DF, as a
// router does it (RFC 791, RFC 1812 clause 5.2.6). What goes from tunnel to tunnel is not looked into:
// its outer packet is fragmented, which TS 29.281 clause 4.2.2 allows.
func (f *Forwarder) fragments(d *Decision) bool {
	return f.slow != nil && (d.isRelayed() || !isIPv6(d.TPDU) && !isWhole(d.TPDU))
}

// sendSlow hands a packet on as it leaves, and counts it.
func (f *Forwarder) sendSlow(d *Decision) {
	frame, tpdu := f.Write(f.writing[:0], d)
	f.writing = frame
	s := datapath.Slow{Packet: frame[EthernetBytes:], GTPU: d.Tunnel != nil, MTU: d.mtu}
	if !d.isRelayed() {
		s.TPDU = tpdu - EthernetBytes
	}
	f.slow(s)
}

// Inject decides about a G-PDU that a socket received, out of an outer packet of an ECN field, and
// hands on what is forwarded. It reports whether the message was a session's; not where OnSlow set
// nobody who sends it.
func (f *Forwarder) Inject(message []byte, ecn uint8, now uint64) bool {
	if f.slow == nil {
		return false
	}
	d := f.DecideMessage(message, ecn, now)
	if d.Verdict == Forward {
		f.sendSlow(&d)
	}
	return d.Verdict != Pass && d.Verdict != Drop(datapath.ReasonUnknownTEID)
}
