package pfcp

import (
	"encoding/binary"
	"errors"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// establishment is a Session Establishment Request (TS 29.244 clauses 6.3.2,
// 7.5.2).
type establishment struct {
	node    string
	cpSEID  uint64
	changes *changes
}

func decodeEstablishment(f fields) (procedure, error) {
	p := establishment{}
	seid, err := f.must(ie.FSEID, 9)
	if err != nil {
		return nil, err
	}
	p.cpSEID = binary.BigEndian.Uint64(seid[1:])
	if p.node, err = nodeIDOf(f); err != nil {
		return nil, p.to(err)
	}
	if err := p.decodeRules(f); err != nil {
		return nil, p.to(err)
	}
	return p, nil
}

func (p *establishment) decodeRules(f fields) (err error) {
	if err := supportedPDN(f); err != nil {
		return err
	}
	if p.changes, err = decodeChanges(f); err != nil {
		return err
	}
	switch {
	case len(p.changes.createPDR) == 0:
		return missing(ie.CreatePDR)
	case len(p.changes.createFAR) == 0:
		return missing(ie.CreateFAR)
	}
	return nil
}

// PDN Types (clause 8.2.79) that carry IPv4.
const (
	pdnIPv4   = 1
	pdnIPv4v6 = 3
)

func supportedPDN(f fields) error {
	b, _, err := f.may(ie.PDNType, 1)
	if err != nil {
		return err
	}
	if len(b) > 0 && b[0]&7 != pdnIPv4 && b[0]&7 != pdnIPv4v6 {
		return &rejection{cause: ie.CauseServiceNotSupported, offending: ie.PDNType, reason: "only IPv4 sessions are supported"}
	}
	return nil
}

// to addresses a rejection to the CP function's session.
func (p *establishment) to(err error) error {
	r := rejectionOf(err)
	r.seid = p.cpSEID
	return r
}

// run makes the session, or leaves everything as it was.
func (p establishment) run(s *Server, from source) outcome {
	a := s.nodes[p.node]
	if a == nil {
		return s.fail(from, p.to(notAssociated(p.node)))
	}
	if s.cfg.MaxSessions > 0 && len(s.sessions) >= s.cfg.MaxSessions {
		return s.fail(from, p.to(&rejection{cause: ie.CauseNoResourcesAvailable, reason: "max_sessions is reached"}))
	}
	one := &pduSession{up: s.newSEID(), cp: p.cpSEID, association: a}
	t, err := s.change(one, p.changes)
	if err != nil {
		return s.fail(from, p.to(err))
	}
	s.sessions[one.up], a.sessions[one.up] = one, one
	s.counters.Established++
	ies := append([]*ie.IE{ie.NewFSEID(one.up, s.cfg.N4.AsSlice(), nil)}, t.created...)
	return outcome{answer: s.accepted(from.Header, one.cp, ies...), keep: true, node: p.node, seid: one.up}
}

// newSEID finds a SEID that no session has. It is random, so that one of
// before a restart is not taken for one of after it.
func (s *Server) newSEID() uint64 {
	for {
		if seid := s.random(); seid != 0 && s.sessions[seid] == nil {
			return seid
		}
	}
}

// change makes the changes on a copy of the session's rules and, when the
// datapath has taken them, keeps the copy. On an error nothing has changed.
func (s *Server) change(one *pduSession, c *changes) (*tunnels, error) {
	rules := &session.Rules{SEID: one.up}
	if one.rules != nil {
		rules = one.rules.Clone()
	}
	t := &tunnels{teids: s.teids, seid: one.up, n3: s.cfg.N3}
	if err := s.tryChange(one.rules, rules, c, t); err != nil {
		t.rollback()
		return nil, err
	}
	if one.rules != nil {
		s.teids.release(one.rules, rules)
	}
	one.rules = rules
	return t, nil
}

func (s *Server) tryChange(old, rules *session.Rules, c *changes, t *tunnels) error {
	if err := c.apply(rules, t); err != nil {
		return err
	}
	if s.cfg.Buffering == BufferDrop {
		s.counters.BufferDrop += dropBuffered(rules)
	}
	if err := rules.Validate(session.Basic); err != nil {
		return err
	}
	err := s.cfg.Datapath.Apply([]datapath.Change{{Old: old, New: rules}})
	if err != nil && !errors.As(err, new(*session.RuleError)) {
		s.log.Error("the datapath refused rules", "seid", rules.SEID, "err", err)
	}
	return err
}

// dropBuffered makes FARs that buffer drop, and counts them.
func dropBuffered(r *session.Rules) (n uint64) {
	for i := range r.FARs {
		if f := &r.FARs[i]; f.Action&^session.Notify == session.Buffer {
			f.Action = session.Drop
			n++
		}
	}
	return n
}
