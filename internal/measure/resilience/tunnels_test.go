package resilience

import (
	"net"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
)

// ofUEs is a stream of UEs whose downlink TEIDs are 10, 20, ...
func ofUEs(n int) *Stream {
	s := &Stream{}
	for i := range n {
		u := &ue{}
		u.Session = smf.Session{DownlinkTEID: uint32(10 * (i + 1))}
		s.ues = append(s.ues, u)
	}
	return s
}

// Packets are told apart by the tunnel that they came by, and by the End Marker of the one that was left:
// UE 0 does all right; of UE 1 one packet comes in the old tunnel after its marker, and after the first in the
// new one; UE 2 gets two markers; and one packet comes by a TEID that is nobody's.
func TestPathSwitch(t *testing.T) {
	s := ofUEs(3)
	s.seen[downlink] = []arrival{
		{at: 1, number: 0, teid: 10}, {at: 2, number: 1, teid: 20}, {at: 3, number: 2, teid: 30},
		{at: 6, number: 3, teid: 11, gnb: 1}, {at: 7, number: 4, teid: 21, gnb: 1}, {at: 8, number: 7, teid: 20},
		{at: 9, number: 8, teid: 99, gnb: 1},
	}
	s.marks = []arrival{{at: 4, teid: 10}, {at: 5, teid: 20}, {at: 5, teid: 30}, {at: 6, teid: 30}}
	if got, want := s.pathSwitch(), (record.PathSwitch{EndMarkers: 4, MarkedUEs: 2, ToOld: 1, AfterMarker: 1, Misdelivered: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Of five packets that were sent while the UE was idle one came before it was paged, two after it, one of them
// twice, and two never; packets that were sent before and after do not count.
func TestBuffered(t *testing.T) {
	s := ofUEs(1)
	const second = int64(time.Second)
	s.sent[downlink] = []int64{second / 2, 2 * second, 3 * second, 4 * second, 5 * second, 6 * second, 9 * second}
	s.seen[downlink] = []arrival{{at: second, number: 0}, {at: 3 * second, number: 1}, {at: 8*second + second/4, number: 2},
		{at: 8*second + second/2, number: 3}, {at: 9 * second, number: 3}, {at: 9*second + 1, number: 6}}
	got := s.buffered(second, 8*second)
	if want := (record.Buffering{IdleS: 7, Offered: 5, Kept: 2, Leaked: 1, Dropped: 2, FirstS: 0.25, LastS: 0.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A connection that was cut loses what is sent and what arrives, without an error, until it is mended.
func TestCut(t *testing.T) {
	listen := func() net.PacketConn {
		c, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	ours, theirs := &cut{PacketConn: listen()}, listen()
	send := func(from, to net.PacketConn, text string) {
		t.Helper()
		if n, err := from.WriteTo([]byte(text), to.LocalAddr()); err != nil || n != len(text) {
			t.Errorf("send %q: %d, %v", text, n, err)
		}
	}
	received := func(at net.PacketConn) string {
		t.Helper()
		b := make([]byte, 20)
		_ = at.SetReadDeadline(time.Now().Add(10 * time.Second))
		n, _, err := at.ReadFrom(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	ours.off.Store(true)
	send(ours, theirs, "lost")
	send(theirs, ours, "lost, too")
	_ = ours.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, _, err := ours.ReadFrom(make([]byte, 20)); err == nil {
		t.Errorf("%d octets arrive while it is cut", n)
	}
	ours.off.Store(false)
	send(ours, theirs, "a")
	send(theirs, ours, "b")
	if a, b := received(theirs), received(ours); a != "a" || b != "b" {
		t.Errorf("after it was mended %q and %q arrive", a, b)
	}
}
