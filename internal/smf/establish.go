package smf

import (
	"context"
	"errors"
	"fmt"

	"github.com/upflab/upflab/pfcp"
)

// Establish establishes sessions (TS 29.244 clause 6.3.2), Config.Window at a
// time. On an error it returns the sessions that the UPF did accept, so that
// they can be deleted, and the error of the first session that failed:
// *RejectedError, *TimeoutError, *MalformedError or the context's.
func (c *Client) Establish(ctx context.Context, sessions []Session) ([]Established, error) {
	if err := c.admit(sessions); err != nil {
		return nil, err
	}
	out := make([]Established, len(sessions))
	err := c.pipeline(len(sessions), func(m *builder, i int) (err error) {
		out[i], err = c.establish(ctx, m, &sessions[i])
		return err
	})
	if err == nil {
		return out, nil
	}
	return accepted(out), err
}

// accepted keeps the sessions that the UPF gave a SEID.
func accepted(all []Established) []Established {
	kept := all[:0]
	for _, e := range all {
		if e.CPSEID != 0 {
			kept = append(kept, e)
		}
	}
	return kept
}

// admit checks everything that can be checked before the first message.
func (c *Client) admit(sessions []Session) error {
	for i := range sessions {
		if err := sessions[i].check(); err != nil {
			return err
		}
	}
	have, limit := c.sessions.len(), c.cfg.Dialect.SessionsPerAssociation
	if limit > 0 && have+len(sessions) > limit {
		return fmt.Errorf("%d sessions asked for in addition to %d: %s takes %d; ask for fewer, or raise its limit and the dialect's",
			len(sessions), have, c.cfg.Dialect.Name, limit)
	}
	return nil
}

// check refuses values that no UPF could take.
func (s *Session) check() error {
	switch {
	case !s.UE.IsValid() || s.UE.Is4In6():
		return fmt.Errorf("session %d: %q is not a UE address", s.Index, s.UE)
	case !s.GNB.IsValid() || s.GNB.Is4In6():
		return fmt.Errorf("%s: %q is not a gNB address", s, s.GNB)
	case s.UplinkTEID != 0 && !s.N3.IsValid() || s.N3.Is4In6():
		return fmt.Errorf("%s: an uplink TEID needs the UPF's N3 address, not %q", s, s.N3)
	case s.QFI < 1 || s.QFI > 63:
		return fmt.Errorf("%s: QFI %d is not in 1..63 (TS 23.501 clause 5.7.1)", s, s.QFI)
	}
	if err := checkInstance(s.NetworkInstance); err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	return s.checkPDRs()
}

func (c *Client) establish(ctx context.Context, m *builder, s *Session) (Established, error) {
	cpSEID := c.seid.Add(1)
	q := c.establishmentRequest(m, s, cpSEID)
	r, err := c.ask(ctx, q)
	if err != nil {
		return Established{}, err
	}
	if r.upSEID == 0 {
		return Established{}, c.malformed(r.Type, fmt.Errorf("%s was accepted without a UP F-SEID", s))
	}
	e := Established{Session: *s, CPSEID: cpSEID, UPSEID: r.upSEID, UplinkTEID: s.UplinkTEID, N3: s.N3}
	err = c.takeFTEID(&e, r)
	c.hold(&e)
	return e, err
}

// hold notes what the session holds, and what of it another one has, too.
func (c *Client) hold(e *Established) {
	sameUPSEID, sameFTEID := c.sessions.add(e)
	if sameUPSEID != 0 {
		c.findings.add(FindingUPSEIDReused, "%s has UP SEID %#x, as has the session with CP SEID %#x", &e.Session, e.UPSEID, sameUPSEID)
	}
	if sameFTEID != 0 && e.Session.UplinkTEID == 0 {
		c.findings.add(FindingFTEIDReused, "%s has TEID %#x at %s, as has the session with CP SEID %#x", &e.Session, e.UplinkTEID, e.N3, sameFTEID)
	}
}

// takeFTEID takes the F-TEID that the UPF chose, where it was asked to.
func (c *Client) takeFTEID(e *Established, r reply) error {
	if e.Session.UplinkTEID != 0 {
		return nil
	}
	chosen, ok := r.uplink()
	if !ok {
		return c.malformed(r.Type, fmt.Errorf("%s was accepted with CHOOSE but Created PDR gives no TEID: %w",
			&e.Session, errNoChoose))
	}
	e.UplinkTEID = chosen.teid
	if chosen.addr.IsValid() {
		e.N3 = chosen.addr
	}
	return nil
}

var errNoChoose = errors.New("the UPF does not allocate F-TEIDs, so let the SMF assign them (assign: smf)")

func (c *Client) establishmentRequest(m *builder, s *Session, cpSEID uint64) request {
	q := request{typ: pfcp.SessionEstablishmentRequest, seq: c.seq.Next(), session: s, cpSEID: cpSEID}
	m.Begin(pfcp.Header{Type: q.typ, SEID: 0, Sequence: q.seq})
	m.nodeID(c.cfg.NodeID)
	m.fseid(cpSEID, c.cfg.NodeID)
	c.rules.all(m, s)
	q.bytes = m.Bytes()
	return q
}
