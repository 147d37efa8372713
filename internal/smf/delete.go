package smf

import (
	"context"

	"github.com/upflab/upflab/pfcp"
)

// Delete deletes sessions (TS 29.244 clause 6.3.4). Errors are those of
// Establish; a session that the UPF no longer knows is one of them.
func (c *Client) Delete(ctx context.Context, sessions []Established) error {
	return c.pipeline(len(sessions), func(m *builder, i int) error {
		if _, err := c.ask(ctx, c.deletionRequest(m, &sessions[i])); err != nil {
			return err
		}
		c.sessions.remove(sessions[i].CPSEID)
		return nil
	})
}

func (c *Client) deletionRequest(m *builder, e *Established) request {
	q := request{typ: pfcp.SessionDeletionRequest, seq: c.seq.Next(), session: &e.Session, cpSEID: e.CPSEID}
	m.Begin(pfcp.Header{Type: q.typ, SEID: e.UPSEID, Sequence: q.seq})
	q.bytes = m.Bytes()
	return q
}
