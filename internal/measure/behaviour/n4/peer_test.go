package n4

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

var patient = Patience{T1: 2 * time.Second, Tries: 3}

// against gives a peer of a fake UPF, and the address of its socket.
func against(t *testing.T, script fakeupf.Script) (*Peer, *fakeupf.UPF, net.Addr) {
	t.Helper()
	u := fakeupf.Start(t, script)
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(conn, u.Addr(), netip.MustParseAddr("127.0.0.1"), smf.Standard())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p, u, conn.LocalAddr()
}

// A case is to see an answer of the wrong type, and one from another address, at once, not as silence.
func TestAnswersThatAreWrongAreSeen(t *testing.T) {
	p, _, _ := against(t, fakeupf.Script{Mangle: func(b []byte) []byte {
		b[1] = byte(pfcp.AssociationReleaseResponse)
		return b
	}})
	_, err := p.Ask(t.Context(), p.Setup(), patient)
	if err == nil || !strings.Contains(err.Error(), "Association Setup Response was due") {
		t.Errorf("error %v of an answer of another type", err)
	}
	other, err := net.ListenPacket("udp4", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	p, _, _ = against(t, fakeupf.Script{Elsewhere: other})
	if a, err := p.Ask(t.Context(), p.Setup(), patient); err != nil || !a.Accepted() {
		t.Errorf("%+v: %v", a, err)
	}
}

// A report is accepted even where its session is not known yet: a UPF may report before we have read
// its answer. One that is repeated is kept once.
func TestReportsAreAcceptedAndKept(t *testing.T) {
	p, u, to := against(t, fakeupf.Script{})
	const seid = 0x77
	p.Belongs(seid, 0x99)
	for _, of := range []uint64{seid, seid + 1} {
		report := message.NewSessionReportRequest(0, 0, of, uint32(of), 0, ie.NewReportType(0, 0, 0, 1),
			ie.NewDownlinkDataReport(ie.NewPDRID(2)))
		for range 2 {
			m, err := u.Ask(to, report)
			if err != nil {
				t.Fatal(err)
			}
			if r := m.(*message.SessionReportResponse); r.Cause.Payload[0] != ie.CauseRequestAccepted || of == seid && r.SEID() != 0x99 {
				t.Errorf("report of session %#x: cause %d to SEID %#x", of, r.Cause.Payload[0], r.SEID())
			}
		}
		list := p.Await(t.Context(), of, time.Second, func(l []Report) bool { return len(l) > 0 && l[0].Again == 1 })
		if len(list) != 1 || list[0].Again != 1 || list[0].Type != smf.DownlinkData || len(list[0].PDRs) != 1 || list[0].PDRs[0] != 2 {
			t.Errorf("kept %+v", list)
		}
	}
}

func TestSilenceIsUnanswered(t *testing.T) {
	p, _, _ := against(t, fakeupf.Script{Silent: true})
	_, err := p.Ask(t.Context(), p.Heartbeat(), Patience{T1: 10 * time.Millisecond, Tries: 3})
	if err == nil || err.Error() != "no answer to Heartbeat Request, sent 3 times in 30ms" {
		t.Errorf("error %v", err)
	}
}

// Answers to what Send sent go to Watch, as attacks count them.
func TestAnswersForNobodyAreWatched(t *testing.T) {
	p, _, _ := against(t, fakeupf.Script{})
	seen := make(chan pfcp.MessageType, 1)
	p.Watch(func(h pfcp.Header, _ []byte) { seen <- h.Type })
	if err := p.Send(p.Setup()); err != nil {
		t.Fatal(err)
	}
	select {
	case typ := <-seen:
		if typ != pfcp.AssociationSetupResponse {
			t.Errorf("a %s", typ)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was seen")
	}
}
