package smf

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Establish establishes sessions (TS 29.244 clause 6.3.2), Config.Window at a time. On an error it returns
// the sessions that the UPF did accept, so that they can be deleted, and the error of the first session that
// failed: *RejectedError, *TimeoutError, *MalformedError or the context's.
func (c *Client) Establish(ctx context.Context, sessions []Session) ([]Established, error) {
	if err := c.admit(sessions); err != nil {
		return nil, err
	}
	out := make([]Established, len(sessions))
	err := c.pipeline(len(sessions), func(w *Writer, i int) (err error) {
		out[i], err = c.establish(ctx, w, &sessions[i])
		return err
	})
	if err == nil {
		return out, nil
	}
	accepted := out[:0]
	for _, e := range out {
		if e.CPSEID != 0 {
			accepted = append(accepted, e)
		}
	}
	return accepted, err
}

// admit checks everything that can be checked before the first message.
func (c *Client) admit(sessions []Session) error {
	for i := range sessions {
		if err := sessions[i].Check(); err != nil {
			return err
		}
	}
	have, limit := c.sessions.len(), c.cfg.Dialect.SessionsPerAssociation
	if limit > 0 && have+len(sessions) > limit {
		return fmt.Errorf("%d sessions asked for in addition to %d: %s takes %d; "+
			"ask for fewer, or raise its limit and the dialect's", len(sessions), have, c.cfg.Dialect.Name, limit)
	}
	return nil
}

func (c *Client) establish(ctx context.Context, w *Writer, s *Session) (Established, error) {
	r := w.rulesOf(s)
	later := w.TakeDownlink(r)
	q := c.establishment(w, s, r)
	m, err := c.ask(ctx, q)
	if err != nil {
		return Established{}, err
	}
	if m.SEID == 0 {
		return Established{}, c.malformed(m.Type, fmt.Errorf("%s was accepted without a UP F-SEID", s))
	}
	e := Established{Session: *s}
	if !e.Accept(q.CPSEID, &m) {
		err = c.malformed(m.Type, fmt.Errorf("%s was accepted with CHOOSE but Created PDR gives no TEID: %w", s, errNoChoose))
	}
	c.Hold(&e)
	if err == nil && later != nil {
		_, err = c.ask(ctx, c.modification(w, &e, later))
	}
	return e, err
}

var errNoChoose = errors.New("the UPF does not allocate F-TEIDs, so let the SMF assign them (assign: smf)")

// Accept takes over what the UPF gave the session. It reports whether the session has an uplink TEID then:
// ours, or the one that the UPF chose for the uplink PDR.
func (e *Established) Accept(cpSEID uint64, m *Message) bool {
	e.CPSEID, e.UPSEID = cpSEID, m.SEID
	e.UplinkTEID, e.N3 = e.Session.UplinkTEID, e.Session.N3
	if e.UplinkTEID != 0 {
		return true
	}
	for _, c := range m.Created {
		if c.PDR == pdrUplink && c.TEID != 0 {
			e.UplinkTEID = c.TEID
			if c.N3.IsValid() {
				e.N3 = c.N3
			}
			return true
		}
	}
	return false
}

// Hold notes what an established session holds, so that reports about it are answered, and
// reports a UP SEID or F-TEID that another session has.
func (c *Client) Hold(e *Established) {
	sameUPSEID, sameFTEID := c.sessions.add(e)
	if sameUPSEID != 0 {
		c.findings.add(FindingUPSEIDReused, "%s has UP SEID %#x, as has the session with CP SEID %#x",
			&e.Session, e.UPSEID, sameUPSEID)
	}
	if sameFTEID != 0 && e.Session.UplinkTEID == 0 {
		c.findings.add(FindingFTEIDReused, "%s has TEID %#x at %s, as has the session with CP SEID %#x",
			&e.Session, e.UplinkTEID, e.N3, sameFTEID)
	}
}

// Forget forgets a session of Hold that was deleted.
func (c *Client) Forget(cpSEID uint64) { c.sessions.remove(cpSEID) }

// Modify changes the downlink of sessions (TS 29.244 clause 6.3.3), as in a handover; change gives the change of
// each. It returns the sessions as they are afterwards. Errors are those of Establish; the sessions whose change
// was accepted are then in the result with it, the others as they were.
func (c *Client) Modify(ctx context.Context, sessions []Established,
	change func(Established) Change) ([]Established, error) {
	out := append([]Established(nil), sessions...)
	err := c.pipeline(len(out), func(w *Writer, i int) error {
		want := change(out[i])
		if _, err := c.ask(ctx, c.ModificationRequest(w, &out[i], want)); err != nil {
			return err
		}
		if want.GNB.IsValid() {
			out[i].GNB, out[i].DownlinkTEID = want.GNB, want.TEID
		}
		return nil
	})
	return out, err
}

// Delete deletes sessions (TS 29.244 clause 6.3.4). Errors are those of Establish; a session that the UPF no longer
// knows is one of them.
func (c *Client) Delete(ctx context.Context, sessions []Established) error {
	return c.pipeline(len(sessions), func(w *Writer, i int) error {
		if _, err := c.ask(ctx, c.DeletionRequest(w, &sessions[i])); err != nil {
			return err
		}
		c.Forget(sessions[i].CPSEID)
		return nil
	})
}

// EstablishmentRequest writes a Session Establishment Request with a new CP SEID. Its bytes, like those of
// the other requests, are valid until the writer writes again.
func (c *Client) EstablishmentRequest(w *Writer, s *Session) Request {
	return c.establishment(w, s, w.rulesOf(s))
}

func (c *Client) establishment(w *Writer, s *Session, r *rules.Session) Request {
	q := Request{Type: pfcp.SessionEstablishmentRequest, Sequence: c.seq.Next(), CPSEID: c.NextSEID(), Session: s}
	q.Bytes = w.Establishment(q.Sequence, c.cfg.NodeID, q.CPSEID, c.cfg.NodeID, r)
	return q
}

// ModificationRequest writes a Session Modification Request.
func (c *Client) ModificationRequest(w *Writer, e *Established, change Change) Request {
	return c.modification(w, e, w.changeOf(change))
}

func (c *Client) modification(w *Writer, e *Established, change *rules.Change) Request {
	q := Request{Type: pfcp.SessionModificationRequest, Sequence: c.seq.Next(), CPSEID: e.CPSEID, Session: &e.Session}
	q.Bytes = w.Modification(q.Sequence, e.UPSEID, change)
	return q
}

// DeletionRequest writes a Session Deletion Request.
func (c *Client) DeletionRequest(w *Writer, e *Established) Request {
	q := Request{Type: pfcp.SessionDeletionRequest, Sequence: c.seq.Next(), CPSEID: e.CPSEID, Session: &e.Session}
	q.Bytes = w.Deletion(q.Sequence, e.UPSEID)
	return q
}

// pipeline runs work for 0..n-1, at most Window at once, each worker with its own writer. After a failure no more
// work begins, and what is under way ends. It returns the error of the lowest index that failed.
func (c *Client) pipeline(n int, work func(w *Writer, i int) error) error {
	var (
		next    atomic.Int64
		stop    atomic.Bool
		mu      sync.Mutex
		failed  = n
		failure error
		workers sync.WaitGroup
	)
	for range min(c.cfg.Window, n) {
		workers.Go(func() {
			w := c.NewWriter()
			for i := int(next.Add(1)) - 1; i < n && !stop.Load(); i = int(next.Add(1)) - 1 {
				err := work(w, i)
				if err == nil {
					continue
				}
				stop.Store(true)
				mu.Lock()
				if i < failed {
					failed, failure = i, err
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return failure
}
