package behaviour

import (
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// SMFMoves modifies a UE's session with a CP F-SEID of the second SMF (TS 29.244 clause 7.5.4.1), does what
// leads to a report, and waits for it there.
func SMFMoves(u *UE, then Step) Step {
	const expected = "the report goes to the address of the new CP F-SEID"
	return Step{Text: "modify: a CP F-SEID at another address; " + then.Text + ": " + expected, Do: func(t *T) error {
		dial := t.Lab.Capabilities().DialStranger
		if dial == nil {
			return Inapplicable("this lab has no second SMF")
		}
		conn, node, own, err := dial()
		if err != nil {
			return err
		}
		defer conn.Close()
		if !own {
			return Inapplicable("the second SMF has no address of its own here")
		}
		s, seid := t.sessions[u], t.peer.NextSEID()
		w := t.writer
		t.peer.Begin(&w.Builder, pfcp.SessionModificationRequest, s.Theirs)
		smf.WriteFSEID(&w.Builder, seid, node)
		a, err := t.accepted("a modification with a CP F-SEID", append([]byte(nil), w.Bytes()...))
		if err != nil {
			return err
		}
		if s.Ours = seid; a.Header.SEID != seid {
			return wrong(fmt.Sprintf("the answer goes to SEID %#x", seid), "it goes to SEID %#x", a.Header.SEID)
		}
		if err := then.Do(t); err != nil {
			return err
		}
		if !reported(conn, seid, s.Theirs) {
			return soft(notEnforced(expected, "none came there in 2s"))
		}
		return nil
	}}
}

// reported waits for a Session Report Request of a session, and answers it.
func reported(conn net.PacketConn, ours, theirs uint64) bool {
	b := make([]byte, 4096)
	_ = conn.SetReadDeadline(time.Now().Add(2 * time.Second))
	for {
		n, from, err := conn.ReadFrom(b)
		if err != nil {
			return false
		}
		if n < 16 || pfcp.MessageType(b[1]) != pfcp.SessionReportRequest || binary.BigEndian.Uint64(b[4:]) != ours {
			continue
		}
		answer := []byte{0x21, byte(pfcp.SessionReportResponse), 0, 17}
		answer = binary.BigEndian.AppendUint64(answer, theirs)
		answer = append(answer, b[12], b[13], b[14], 0, 0, 19, 0, 1, 1) // its sequence number; Cause: accepted
		_, _ = conn.WriteTo(answer, from)                               // lost, it is asked for again
		return true
	}
}
