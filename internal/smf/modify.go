package smf

import (
	"context"

	"github.com/upflab/upflab/pfcp"
)

// Modify changes the downlink of sessions (TS 29.244 clause 6.3.3), as in a
// handover; change says how, for each. It returns the sessions as they are
// afterwards. Errors are those of Establish; the sessions whose change was
// accepted are then in the result with it, the others as they were.
func (c *Client) Modify(ctx context.Context, sessions []Established, change func(Established) Change) ([]Established, error) {
	out := append([]Established(nil), sessions...)
	err := c.pipeline(len(out), func(m *builder, i int) error {
		want := change(out[i])
		if _, err := c.ask(ctx, c.modificationRequest(m, &out[i], want)); err != nil {
			return err
		}
		if want.GNB.IsValid() {
			out[i].GNB, out[i].DownlinkTEID = want.GNB, want.TEID
		}
		return nil
	})
	return out, err
}

func (c *Client) modificationRequest(m *builder, e *Established, change Change) request {
	q := request{typ: pfcp.SessionModificationRequest, seq: c.seq.Next(), session: &e.Session, cpSEID: e.CPSEID}
	m.Begin(pfcp.Header{Type: q.typ, SEID: e.UPSEID, Sequence: q.seq})
	c.rules.change(m, change)
	q.bytes = m.Bytes()
	return q
}
