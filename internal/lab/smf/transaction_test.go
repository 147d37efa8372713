package smf

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// told notes what a Waiter was told.
type told struct{ answered, unanswered int }

func (w *told) Answered(pfcp.Header, []byte, netip.AddrPort, time.Time) { w.answered++ }
func (w *told) Unanswered()                                             { w.unanswered++ }

// silentClient has a connection that takes everything and says nothing: tests hand it what it reads.
func silentClient(t testing.TB) *Client {
	t.Helper()
	peer := net.UDPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.2:8805"))
	cfg, err := Config{Conn: quiet{}, Peer: peer, NodeID: netip.MustParseAddr("192.0.2.1"), Dialect: Standard()}.complete()
	if err != nil {
		t.Fatal(err)
	}
	return newClient(cfg, peer.AddrPort())
}

// answerTo is a response of a type to a request.
func answerTo(q Request, typ pfcp.MessageType) []byte {
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: typ, Sequence: q.Sequence})
	return m.Bytes()
}

// An answer is taken once, if it has the request's sequence number, the type that belongs to it, and the
// UPF's address.
func TestAnswersAreMatched(t *testing.T) {
	c := silentClient(t)
	upf, stranger := c.peer, netip.MustParseAddrPort("192.0.2.99:8805")
	other := Request{Sequence: 1 << 20}
	for _, step := range []struct {
		name     string
		of       func(q Request) Request
		typ      pfcp.MessageType
		from     netip.AddrPort
		answered int
		finding  string
	}{
		{"another sequence number", func(Request) Request { return other }, pfcp.HeartbeatResponse, upf, 0, FindingSequence},
		{"another type", nil, pfcp.AssociationSetupResponse, upf, 0, FindingType},
		{"another address", nil, pfcp.HeartbeatResponse, stranger, 0, FindingAddress},
		{"another port", nil, pfcp.HeartbeatResponse, netip.AddrPortFrom(upf.Addr(), 1), 1, FindingPort},
		{"the answer", nil, pfcp.HeartbeatResponse, upf, 1, ""},
	} {
		c.findings = findings{}
		var w told
		var x Transaction
		c.Begin(&x, c.HeartbeatRequest(), c.retransmission(), &w)
		q := x.Request
		if step.of != nil {
			q = step.of(q)
		}
		c.handle(answerTo(q, step.typ), step.from, time.Now())
		if w.answered != step.answered {
			t.Errorf("%s: taken %d times", step.name, w.answered)
		}
		if f := c.Findings(); step.finding == "" && len(f) > 0 || step.finding != "" && (len(f) != 1 || f[0].Code != step.finding) {
			t.Errorf("%s: findings %+v, want %q", step.name, f, step.finding)
		}
		c.handle(answerTo(x.Request, pfcp.HeartbeatResponse), upf, time.Now())
		c.handle(answerTo(x.Request, pfcp.HeartbeatResponse), upf, time.Now())
		if w.answered != 1 || w.unanswered != 0 {
			t.Errorf("%s: answered %d times in the end", step.name, w.answered)
		}
	}
}

// Repeat sends a request until it was sent N1 times, T1 apart, and tells its Waiter then.
func TestRepeatGivesUp(t *testing.T) {
	c := silentClient(t)
	var w told
	var early, x Transaction
	c.Begin(&early, c.HeartbeatRequest(), pfcp.Retransmission{T1: time.Hour, Tries: 3}, new(told))
	if n, lost, err := c.Repeat(); n != 0 || lost != 0 || err != nil {
		t.Errorf("%d repeated, %d lost before T1 has passed: %v", n, lost, err)
	}
	now := pfcp.Retransmission{Tries: 3}
	c.Begin(&x, c.HeartbeatRequest(), now, &w)
	for n := 2; n <= 3; n++ {
		if repeated, lost, err := c.Repeat(); repeated != 1 || lost != 0 || err != nil || x.Transmissions() != n {
			t.Errorf("transmission %d: %d repeated, %d lost, sent %d times: %v", n, repeated, lost, x.Transmissions(), err)
		}
	}
	if repeated, lost, _ := c.Repeat(); repeated != 0 || lost != 1 || w.unanswered != 1 {
		t.Errorf("%d repeated, %d lost, told %d times", repeated, lost, w.unanswered)
	}
	for n := 1; n <= 4; n++ { // a UPF may answer each transmission
		c.handle(answerTo(x.Request, pfcp.HeartbeatResponse), c.peer, time.Now())
		if f := c.Findings(); (len(f) > 0) != (n > 3) {
			t.Errorf("findings of answer %d to 3 transmissions: %+v", n, f)
		}
	}
	if f := found(c, FindingDoubled); f.Count != 1 || w.answered != 0 {
		t.Errorf("a late answer is taken, or not found: %+v", c.Findings())
	}
}

// What a load does for each request allocates the copy of the request alone.
func TestLoadsAllocateLittle(t *testing.T) {
	c := silentClient(t)
	writer, s, change := c.NewWriter(), goldenSession(), Change{GNB: netip.MustParseAddr("10.10.3.9"), TEID: 3}
	e := Established{Session: s, UPSEID: 1, CPSEID: 1}
	var m Message
	accepted := []byte{0, 60, 0, 5, 0, 10, 10, 1, 2, 0, 19, 0, 1, 1}
	for name, do := range map[string]func(){
		"write an establishment": func() { c.EstablishmentRequest(writer, &s) },
		"write a modification":   func() { c.ModificationRequest(writer, &e, change) },
		"write a deletion":       func() { c.DeletionRequest(writer, &e) },
		"read an answer":         func() { _ = m.Read(pfcp.Header{}, accepted, Tolerant) },
	} {
		do()
		if n := testing.AllocsPerRun(100, do); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
