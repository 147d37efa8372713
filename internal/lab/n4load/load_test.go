package n4load

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// sessions are n that any UPF takes.
func sessions(n int) (list []smf.Session) {
	for i := range n {
		list = append(list, smf.Session{
			UE: netip.AddrFrom4([4]byte{10, byte(45 + i>>16), byte(i >> 8), byte(i)}), UplinkTEID: uint32(2*i + 1), DownlinkTEID: uint32(2*i + 1001),
			GNB: netip.MustParseAddr("192.0.2.1"), N3: netip.MustParseAddr("192.0.2.2"), QFI: 1,
		})
	}
	return list
}

// client speaks to a UPF on the loopback interface.
func client(t *testing.T, peer net.Addr) *smf.Client {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := smf.Dial(smf.Config{Conn: conn, Peer: peer, NodeID: netip.MustParseAddr("127.0.0.1"), Dialect: smf.Standard()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Associate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func withResponder(t *testing.T, n int) *Load {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewResponder(conn, -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return load(t, client(t, conn.LocalAddr()), n)
}

func load(t *testing.T, c *smf.Client, n int) *Load {
	t.Helper()
	l, err := New(Config{Client: c, Sessions: sessions(n)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func drive(t *testing.T, l *Load, p Procedure, n int) *Driven {
	t.Helper()
	d, err := l.Drive(t.Context(), p, n, 32)
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	return d
}

func TestAClosedLoopDoesAll(t *testing.T) {
	l := withResponder(t, 500)
	for _, c := range []struct {
		p    Procedure
		want int
	}{{Establish, 500}, {Modify, 500}, {Idle, 500}, {Active, 500}, {Handover, 500}, {Delete, 500}, {Attach, 500}, {Detach, 500}} {
		if d := drive(t, l, c.p, 500); d.Done != c.want || d.Latency.Count != uint64(c.want) || d.PerS() <= 0 {
			t.Errorf("%s: %d done, %d timed", c.p, d.Done, d.Latency.Count)
		}
	}
	if d := drive(t, l, Delete, 10); d.Done != 0 {
		t.Errorf("%d deletions without a session", d.Done)
	}
}

func TestAnOfferIsAtItsRate(t *testing.T) {
	l := withResponder(t, 100)
	drive(t, l, Establish, 100)
	for i, poisson := range []bool{false, true, false} {
		o, err := l.Offer(t.Context(), Offer{PerS: 1000, Poisson: poisson, Seed: 7, Duration: 400 * time.Millisecond,
			Mix: []Share{{Modify, 1}}, Settle: 5 * time.Second, Beside: i == 2})
		if err != nil {
			t.Fatal(err)
		}
		if o.Due < 300 || o.Due > 500 || o.Sent != o.Due || o.Done != o.Sent || o.LossRatio() != 0 {
			t.Errorf("poisson %v: due %d, sent %d, done %d", poisson, o.Due, o.Sent, o.Done)
		}
		if o.Answers.Count != o.Done || o.Answers.Max > o.FromSend.Max {
			t.Errorf("poisson %v: %d answers in %d ns at most, %d procedures in %d", poisson, o.Answers.Count, o.Answers.Max, o.Done, o.FromSend.Max)
		}
		if o.Seconds < 0.35 || o.Latency.Min < o.FromSend.Min {
			t.Errorf("poisson %v: %v s, latency %d, from send %d ns", poisson, o.Seconds, o.Latency.Min, o.FromSend.Min)
		}
	}
}

func TestAMixKeepsItsShares(t *testing.T) {
	l := withResponder(t, 200)
	drive(t, l, Establish, 100)
	mix := []Share{{Attach, 1}, {Detach, 1}, {Idle, 4}, {Active, 4}, {Handover, 2}}
	o, err := l.Offer(t.Context(), Offer{PerS: 1000, Duration: time.Second, Mix: mix, Settle: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var sum uint64
	for _, s := range mix {
		part := o.Of[s.Procedure]
		if part == nil || part.Done == 0 {
			t.Fatalf("no %s", s.Procedure)
		}
		sum += part.Done
	}
	if sum != o.Done || o.Done > o.Due || o.Done+o.Unanswered < o.Due {
		t.Errorf("%d done, %d by procedure, %d due", o.Done, sum, o.Due)
	}
	if n := float64(o.Of[Idle].Done) / float64(o.Of[Attach].Done); n < 1 {
		t.Errorf("idle is %.1f times attach, not about 4", n)
	}
}

func TestAnEstablishingOfferEndsWithItsSessions(t *testing.T) {
	l := withResponder(t, 50)
	o, err := l.Offer(t.Context(), Offer{PerS: 1000, Duration: time.Minute, Mix: []Share{{Establish, 1}}})
	if err != nil || o.Done != 50 || o.Seconds > 20 {
		t.Errorf("%d done in %v s: %v", o.Done, o.Seconds, err)
	}
	if l.Established() != 50 {
		t.Errorf("%d are established", l.Established())
	}
}

func TestRefusalEndsAClosedLoop(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{Reject: func(n int, typ uint8) *fakeupf.Rejection {
		if n < 40 {
			return nil
		}
		return &fakeupf.Rejection{Cause: 75}
	}})
	l := load(t, client(t, u.Addr()), 100)
	d, err := l.Drive(t.Context(), Establish, 100, 1)
	var r *Refusal
	if !errors.As(err, &r) || r.Cause != pfcp.Cause(75) || r.Procedure != Establish {
		t.Fatalf("%v", err)
	}
	if d.Done != l.Established() || d.Done == 0 || d.Done >= 100 {
		t.Errorf("%d done, %d established", d.Done, l.Established())
	}
}

func TestARefusedOfferIsCounted(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{Reject: func(n int, typ uint8) *fakeupf.Rejection { return &fakeupf.Rejection{Cause: 75} }})
	l := load(t, client(t, u.Addr()), 20)
	o, err := l.Offer(t.Context(), Offer{PerS: 200, Duration: 100 * time.Millisecond, Mix: []Share{{Establish, 1}}, Settle: 5 * time.Second})
	if err != nil || o.Refused != o.Sent || o.LossRatio() != 1 || o.CauseNames()[pfcp.Cause(75).String()] != o.Sent {
		t.Errorf("%+v: %v", o.CauseNames(), err)
	}
}

func TestLostAnswersAreUnansweredAndThenKnown(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{DropFirst: 1})
	c := client(t, u.Addr())
	l := load(t, c, 20)
	o, err := l.Offer(t.Context(), Offer{PerS: 200, Duration: 50 * time.Millisecond, Mix: []Share{{Establish, 1}},
		Settle: 200 * time.Millisecond})
	if err != nil || o.Unanswered == 0 || o.Unanswered != o.Sent-o.Done {
		t.Fatalf("%d of %d unanswered: %v", o.Unanswered, o.Sent, err)
	}
	if n := l.Established(); n != int(o.Sent) || l.Lost() != 0 {
		t.Errorf("%d of %d are established in the end, %d lost", n, o.Sent, l.Lost())
	}
}

func TestTheUserEndsIt(t *testing.T) {
	l := withResponder(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	drive(t, l, Establish, 10)
	_, err := l.Offer(ctx, Offer{PerS: 2000, Duration: time.Hour, Mix: []Share{{Modify, 1}}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestMixesThatCannotBeSent(t *testing.T) {
	for _, mix := range [][]Share{nil, {{"walk", 1}}, {{Attach, 0}}} {
		if Check(mix) == nil {
			t.Errorf("%v is taken", mix)
		}
	}
}
