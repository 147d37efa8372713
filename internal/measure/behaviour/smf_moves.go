package behaviour

import (
	"errors"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// SMFMoves modifies a UE's session with a CP F-SEID of the second SMF (TS 29.244 clause 7.5.4.1), does what
// leads to a report, and waits for it there.
func SMFMoves(u *UE, then Step) Step {
	const expected = "the report goes to the address of the new CP F-SEID"
	return Step{Text: "modify: a CP F-SEID at another address; " + then.Text + ": " + expected, Do: func(t *T) error {
		dial := t.Lab.Capabilities().DialStranger
		if dial == nil {
			return fail.Inapplicable("this lab has no second SMF")
		}
		conn, node, own, err := dial()
		if err != nil {
			return err
		}
		second, err := n4.New(conn, t.UPF(), node, t.writer.Dialect)
		if err != nil {
			return errors.Join(err, conn.Close())
		}
		defer second.Close()
		if !own {
			return fail.Inapplicable("the second SMF has no address of its own here")
		}
		s, seid := t.sessions[u], t.peer.NextSEID()
		w := t.writer
		t.peer.Begin(&w.Builder, pfcp.SessionModificationRequest, s.Theirs)
		smf.WriteFSEID(&w.Builder, seid, node)
		a, err := t.accepted("a modification with a CP F-SEID", append([]byte(nil), w.Bytes()...))
		if err != nil {
			return err
		}
		s.Ours = seid
		if err := ToSEID(&a, seid); err != nil {
			return err
		}
		second.Belongs(seid, s.Theirs)
		if err := then.Do(t); err != nil {
			return err
		}
		any := func(list []n4.Report) bool { return len(list) > 0 }
		if !any(second.Await(t.Ctx, seid, 2*time.Second, any)) {
			if wrong := t.misaddressed(second, expected); wrong != nil {
				return wrong
			}
			return fail.Repeated(fail.NotEnforcedf(expected, "none came there in 2s"))
		}
		return nil
	}}
}
