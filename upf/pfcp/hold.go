package pfcp

import (
	"bytes"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// buffer is what a session holds. Its lock guards it.
type buffer struct {
	packets  []datapath.Held
	notify   time.Time // when the CP function is to be told; zero: it was, or not at all
	notified bool
}

// Bounds of what is held.
const (
	heldPackets = 64       // of a session, where no BAR says otherwise
	heldMost    = 255      // the same, whatever a BAR says
	heldOctets  = 64 << 20 // of all sessions
)

// holder returns the datapath's holder, nil when the UPF does not hold packets.
func (s *Server) holder() datapath.Holder {
	if s.cfg.Buffering != BufferHold {
		return nil
	}
	return s.can.Holder
}

// offers are the actions that FARs may have.
func (s *Server) offers() session.Action {
	if s.holder() != nil {
		return session.All
	}
	if s.can.Holder != nil {
		return session.Basic | session.Duplicate
	}
	return session.Basic
}

// arrived is the datapath's: a packet to be held, or to be copied. It is lost where too
// many wait.
func (s *Server) arrived(h datapath.Held) {
	if h.Copy {
		s.copied(h)
		return
	}
	h.TPDU = bytes.Clone(h.TPDU)
	select {
	case s.arrivals <- h:
	default:
		s.count(func(c *Counters) { c.BufferLost++ })
	}
}

// hold keeps a packet, and has the CP function told of the first.
func (s *Server) hold(p datapath.Held, now time.Time) {
	s.mu.Lock()
	one := s.sessions[p.SEID]
	s.mu.Unlock()
	if one == nil {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	rules := one.rules.Rules()
	far, bar := farOf(rules, p.PDR)
	b := &one.extra().buffer
	switch {
	case far == nil || far.Action&session.Drop != 0:
		return
	case far.Action&session.Forward != 0: // it forwards meanwhile
		b.packets = append(b.packets, p)
		s.heldOctets.Add(int64(len(p.TPDU)))
		s.deliver(one, rules)
		return
	case len(b.packets) >= room(bar) || s.heldOctets.Add(int64(len(p.TPDU))) > heldOctets:
		s.count(func(c *Counters) { c.BufferLost++ })
		return
	}
	b.packets = append(b.packets, p)
	s.count(func(c *Counters) { c.Buffered++ })
	if far.Action&session.Notify == 0 || b.notified || !b.notify.IsZero() {
		return
	}
	b.notify = now
	if bar != nil && bar.Delay > 0 {
		b.notify = now.Add(bar.Delay)
		s.timers.add(b.notify, one.up)
		return
	}
	s.notify(one, now)
}

// room is how many packets a session may hold.
func room(bar *session.BAR) int {
	if bar == nil || bar.Packets == 0 {
		return heldPackets
	}
	return min(bar.Packets, heldMost)
}

// farOf is a PDR's FAR and its BAR, nil where there is none.
func farOf(r *session.Rules, pdr uint16) (*session.FAR, *session.BAR) {
	if r == nil {
		return nil, nil
	}
	of := r.FindPDR(pdr)
	if of == nil {
		return nil, nil
	}
	far := r.FindFAR(of.FAR)
	return far, r.FindBAR(far.BAR)
}

// reportTypeDownlink is DLDR of a Report Type (TS 29.244 clause 8.2.21).
const reportTypeDownlink = 1 << 0

// notify tells the CP function that downlink packets wait, when that is due. The
// session's lock is held.
func (s *Server) notify(one *pduSession, now time.Time) {
	if one.extras == nil {
		return
	}
	b := &one.buffer
	if b.notify.IsZero() || now.Before(b.notify) || len(b.packets) == 0 {
		return
	}
	b.notify, b.notified = time.Time{}, true
	pdr := ie.NewPDRID(b.packets[0].PDR)
	cp, to := s.reportTo(one)
	s.report(to, now, func(sequence uint32) []byte {
		return encode(pfcp.SessionReportRequest, cp, sequence,
			ie.New(ie.ReportType, []byte{reportTypeDownlink}), group(ie.DownlinkDataReport, pdr))
	})
}

// deliver sends the packets whose FARs forward now, in the order in which they came,
// and forgets those whose FARs drop. The rules are the session's, or about to be. Its lock
// is held.
func (s *Server) deliver(one *pduSession, rules *session.Rules) {
	if one.extras == nil {
		return
	}
	b := &one.buffer
	if len(b.packets) == 0 {
		b.notified, b.notify = false, time.Time{}
		return
	}
	var resolver *forward.Resolver
	var err error
	kept := b.packets[:0]
	for _, p := range b.packets {
		teid := uint32(0)
		if pdr := rules.FindPDR(p.PDR); pdr != nil {
			teid = pdr.PDI.TEID
			if far := rules.FindFAR(pdr.FAR); far != nil && far.Action&session.Buffer != 0 {
				kept = append(kept, p)
				continue
			}
		}
		if resolver == nil {
			if resolver, err = forward.NewResolver(rules); err != nil {
				return // the datapath refuses them, too
			}
		}
		s.heldOctets.Add(-int64(len(p.TPDU)))
		s.deliverOne(p, teid, resolver)
	}
	if b.packets = kept; len(kept) == 0 {
		*b = buffer{}
	}
}

func (s *Server) deliverOne(p datapath.Held, teid uint32, by *forward.Resolver) {
	tunnel, urrs, ok := by.Resolve(teid, p)
	if !ok || tunnel == nil || s.cfg.Forward == nil {
		s.count(func(c *Counters) { c.BufferLost++ })
		return
	}
	octets := uint64(len(p.TPDU))
	if teid == 0 { // else it stays in tunnels
		forward.Age(p.TPDU)
	}
	s.cfg.Forward(*tunnel, p.TPDU)
	for _, urr := range urrs {
		s.holder().Count(p.SEID, urr, session.Count{Packets: 1, Octets: octets})
	}
	s.count(func(c *Counters) { c.BufferSent++ })
}

// forgetHeld drops what a session holds. Its lock is held.
func (s *Server) forgetHeld(one *pduSession) {
	if one.extras == nil {
		return
	}
	for _, p := range one.buffer.packets {
		s.heldOctets.Add(-int64(len(p.TPDU)))
	}
	one.buffer = buffer{}
}
