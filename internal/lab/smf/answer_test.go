package smf

import (
	"net"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
)

func TestHeartbeatsOfTheUPFAreAnswered(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	m, err := u.Ask(c.cfg.Conn.LocalAddr(), message.NewHeartbeatRequest(9, ie.NewRecoveryTimeStamp(time.Unix(1700000000, 0)), nil))
	if err != nil {
		t.Fatal(err)
	}
	r, ok := m.(*message.HeartbeatResponse)
	if !ok || r.Sequence() != 9 || r.RecoveryTimeStamp == nil {
		t.Errorf("answer %v", m)
	}
	if s := c.Stats(); s.Heartbeats != 1 || s.PeerRestarts != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestRestartOfTheUPFIsNoticed(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	if _, err := c.Establish(t.Context(), manySessions(1)); err != nil {
		t.Fatal(err)
	}
	u.Restart()
	if _, err := c.Heartbeat(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.Stats().PeerRestarts != 1 || c.sessions.len() != 0 {
		t.Errorf("stats %+v, %d sessions left", c.Stats(), c.sessions.len())
	}
}

func TestSessionReportsAreAccepted(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	e, err := c.Establish(t.Context(), manySessions(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		seid, answer uint64
		cause        uint8
	}{
		{e[0].CPSEID, e[0].UPSEID, ie.CauseRequestAccepted},
		{42, 0, ie.CauseSessionContextNotFound},
	} {
		m, err := u.Ask(c.cfg.Conn.LocalAddr(), message.NewSessionReportRequest(0, 0, test.seid, 11, 0, ie.NewReportType(0, 0, 1, 0)))
		if err != nil {
			t.Fatal(err)
		}
		cause, _ := m.(*message.SessionReportResponse).Cause.Cause()
		if m.SEID() != test.answer || cause != test.cause {
			t.Errorf("report for SEID %d: cause %d to SEID %#x", test.seid, cause, m.SEID())
		}
	}
	if n := c.Stats().Reports; n != 2 {
		t.Errorf("%d reports counted", n)
	}
}

func TestOtherVersionsAreRefused(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	hb := message.NewHeartbeatRequest(12, ie.NewRecoveryTimeStamp(time.Unix(1700000000, 0)), nil)
	hb.Flags = 2 << 5
	m, err := u.Ask(c.cfg.Conn.LocalAddr(), hb)
	if err != nil || m.MessageType() != message.MsgTypeVersionNotSupportedResponse || m.Sequence() != 12 {
		t.Errorf("answer %v, error %v", m, err)
	}
}

func TestNodeReportsAreAccepted(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	m, err := u.Ask(c.cfg.Conn.LocalAddr(), message.NewNodeReportRequest(13, ie.NewNodeID("127.0.0.1", "", ""), ie.NewNodeReportType(1)))
	if err != nil || m.MessageType() != message.MsgTypeNodeReportResponse {
		t.Errorf("answer %v, error %v", m, err)
	}
}

func TestNonsenseIsCountedAndDropped(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	to := c.cfg.Conn.LocalAddr()
	for _, b := range [][]byte{{}, {0x20}, {0x20, 1, 0, 99, 0, 0, 1, 0}, {0x20, 3, 0, 4, 0, 0, 1, 0}, {0x20, 2, 0, 4, 0, 0, 1, 0}} {
		if err := u.Send(to, b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Heartbeat(t.Context()); err != nil { // comes after them
		t.Fatal(err)
	}
	if s := c.Stats(); s.Malformed != 3 || s.Unknown != 1 || s.Unmatched != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestForeignDatagramsAreDropped(t *testing.T) {
	c, _ := against(t, fakeupf.Script{})
	stranger, err := net.ListenPacket("udp4", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	if _, err := stranger.WriteTo([]byte{0x20, 1, 0, 4, 0, 0, 1, 0}, c.cfg.Conn.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Heartbeat(t.Context()); err != nil { // comes after it
		t.Fatal(err)
	}
	if s := c.Stats(); s.Foreign != 1 || s.Heartbeats != 0 {
		t.Errorf("stats %+v", s)
	}
}
