package n4

import (
	"bytes"
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/keys"
	"github.com/upflab/upflab/upf/n4/procedure"
	"github.com/upflab/upflab/upf/n4/report"
	"github.com/upflab/upflab/upf/session"
)

func newConnecting(t *testing.T) (*bench, *[][]byte) {
	b := newBench(t, func(c *Config) { c.Connect = []netip.AddrPort{netip.MustParseAddrPort("127.0.0.7:8805")} })
	return b, b.listen()
}

// after lets time pass, and the server set up what it has to.
func (b *bench) after(d time.Duration) {
	b.now = b.now.Add(d)
	b.nodes.Connect(b.now)
	b.requests.Due(b.associations.Tunables().Heartbeat, b.now)
}

// TestConnect: the server sets the association up, and sessions follow.
func TestConnect(t *testing.T) {
	b, sent := newConnecting(t)
	b.after(0)
	b.after(100 * time.Millisecond)
	b.wantSent(*sent, []string{"connect"})
	b.raw(b.pairs["connect"].answer)
	b.after(time.Minute)
	b.wantSent(*sent, []string{"connect"})
	b.play("establish-given")
	if c := b.Counters(); c.Associations != 1 || c.Unexpected != 0 {
		t.Errorf("counters %+v", c)
	}
}

// TestConnectIsTriedAgain: when there is no answer, a refusal, and when the association
// has ended.
func TestConnectIsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		story string
		fails func(*bench)
	}{
		{"no answer", func(b *bench) {
			for range 10 {
				b.after(time.Second)
			}
		}},
		{"refused", func(b *bench) { b.raw(b.pairs["connect-refused"].answer) }},
		{"released", func(b *bench) { b.raw(b.pairs["connect"].answer); b.play("release") }},
		{"restarted", func(b *bench) {
			b.raw(b.pairs["connect"].answer)
			b.raw(heartbeatAt(recovery + 1))
		}},
	} {
		t.Run(c.story, func(t *testing.T) {
			b, sent := newConnecting(t)
			b.after(0)
			*sent = nil
			c.fails(b)
			b.after(procedure.ConnectRetry)
			if len(*sent) == 0 || pfcp.MessageType((*sent)[0][1]) != pfcp.AssociationSetupRequest {
				t.Errorf("sent %x, want another Association Setup Request", *sent)
			}
		})
	}
}

// TestConnectMeetsSetup: an association that the CP function sets up meanwhile keeps its
// sessions.
func TestConnectMeetsSetup(t *testing.T) {
	b, _ := newConnecting(t)
	b.after(0)
	b.play("setup", "establish-given")
	b.raw(b.pairs["connect"].answer)
	if c := b.Counters(); c.Associations != 1 || c.Sessions != 1 {
		t.Errorf("counters %+v", c)
	}
}

// TestLeave: the CP function is asked to release the association; meanwhile there are no
// new sessions.
func TestLeave(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	sent := make(chan []byte, 8)
	b.requests.Numbers.Start(1)
	b.requests.Transmit = func(m []byte, _ netip.AddrPort) { sent <- bytes.Clone(m) }
	left := make(chan bool)
	go func() { b.Leave(context.Background(), 10*time.Second); close(left) }()
	if got, want := <-sent, b.pairs["leave"].request; !bytes.Equal(got, want) {
		t.Fatalf("sent %x, want %x", got, want)
	}
	b.raw(b.pairs["leave"].answer)
	if answer := b.raw(b.pairs["establish-choose"].request); bytes.Equal(answer, b.pairs["establish-choose"].answer) {
		t.Error("a session is established while the UPF leaves")
	}
	b.play("release")
	<-left
	if b.dp.Len() != 0 {
		t.Error("the session is still there")
	}
}

// TestPathFailure: who has sessions with the gNB is told, nobody else.
func TestPathFailure(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup")
	sent, gnb := b.listen(), netip.MustParseAddr("192.0.2.1")
	b.PathFailed(gnb)
	b.wantSent(*sent, nil)
	b.play("establish-given")
	if peers := b.Peers(); len(peers) != 1 || peers[0] != gnb {
		t.Errorf("peers %v, want the gNB", peers)
	}
	b.PathFailed(gnb)
	b.raw(b.pairs["path-failed"].answer)
	b.PathRecovered(gnb)
	b.raw(b.pairs["path-recovered"].answer)
	b.wantSent(*sent, []string{"path-failed", "path-recovered"})
	b.play("delete")
	if peers := b.Peers(); len(peers) != 0 {
		t.Errorf("peers %v of no session", peers)
	}
	if c := b.Counters(); c.NodeReports != 2 || c.Unexpected != 0 {
		t.Errorf("counters %+v", c)
	}
}

// TestErrorIndication: the CP function of the session is told, once a second.
func TestErrorIndication(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	sent, tunnel := b.listen(), session.OuterHeader{TEID: 2, Peer: netip.MustParseAddr("192.0.2.1")}
	for range 5 {
		b.TunnelGone(tunnel, b.now)
	}
	b.raw(b.pairs["report-error"].answer)
	b.wantSent(*sent, []string{"report-error"})
	b.TunnelGone(session.OuterHeader{TEID: 3, Peer: tunnel.Peer}, b.now)
	b.TunnelGone(tunnel, b.now.Add(report.IndicationEvery))
	if len(*sent) != 2 {
		t.Errorf("%d reports, want one more after a second", len(*sent))
	}
	b.play("modify-handover")
	if b.TunnelGone(tunnel, b.now) {
		t.Error("the tunnel that was left is still a session's")
	}
}

func TestRemotesShareTunnels(t *testing.T) {
	r, tunnel := keys.NewRemotes(), session.OuterHeader{TEID: 1, Peer: netip.MustParseAddr("192.0.2.1")}
	rules := &session.Rules{FARs: []session.FAR{{Outer: &tunnel}}}
	for seid := range uint64(3) {
		r.Replace(nil, rules, seid)
	}
	r.Replace(rules, nil, 0)
	r.Replace(rules, nil, 2)
	if got := r.Of(tunnel); len(got) != 1 || got[0] != 1 || len(r.At(tunnel.Peer)) != 1 {
		t.Errorf("sessions %v, want 1", got)
	}
	r.Replace(rules, nil, 1)
	if len(r.Peers) != 0 {
		t.Errorf("left: %+v", r)
	}
}

func TestGracefulPeriod(t *testing.T) {
	for period, want := range map[time.Duration]byte{
		time.Second: 1, 10 * time.Second: 5, 62 * time.Second: 31, 63 * time.Second: 1<<5 | 2, time.Hour: 2<<5 | 6, 100 * time.Hour: 2<<5 | 31,
	} {
		if got := procedure.GracefulIE(period).Payload[0]; got != want {
			t.Errorf("%v is %#x, want %#x", period, got, want)
		}
	}
}

// TestOnward: where an End Marker that comes by a TEID goes.
func TestOnward(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-n9")
	want := session.OuterHeader{TEID: 2, Peer: netip.MustParseAddr("192.0.2.1")}
	if got := b.Onward(1); len(got) != 1 || got[0] != want {
		t.Errorf("onward of TEID 1: %v, want %v", got, want)
	}
	if got := b.Onward(99); got != nil {
		t.Errorf("onward of no TEID: %v", got)
	}
}
