package behaviour

import (
	"context"
	"encoding/hex"
	"errors"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/record"
)

// What a UPF sends may be cut, or say of itself what is not so: it is no ICMP error then. The whole ones are
// scapy's: IP(src="192.0.2.3", dst=...)/ICMP(type=3, code=4, nexthopmtu=1500)/("x"*28).
func TestICMPErrors(t *testing.T) {
	g := Sample()
	u := g.UE(0)
	up, down := Up(u, ""), Down(u, "")
	down.From = netip.MustParseAddr("198.51.100.10")
	message, _ := hex.DecodeString("450000380001000040018e83c0000203c633640a" + "03046089000005dc" +
		"78787878787878787878787878787878787878787878787878787878")
	short := make([]byte, 20)
	copy(short, message)
	long, none := append([]byte(nil), short...), append([]byte(nil), message...)
	long[0] = 0x4f // its header is said to have 60 octets
	none[0] = 0x40
	for name, c := range map[string]struct {
		ip   []byte
		want bool
	}{"whole": {message, true}, "header alone": {short, false}, "header longer than the packet": {long, false},
		"no header": {none, false}, "cut within ICMP": {message[:27], false}, "an octet": {message[:1], false}, "nothing": {nil, false}} {
		at := inbox.Arrival{Received: packet.Received{IP: c.ip, TPDU: c.ip}}
		if got := icmpError(&at, &down, 3, 4) != nil; got != c.want {
			t.Errorf("%s: on N6 it is an ICMP error: %t", name, got)
		}
		if got := fragmentationNeeded(&at, &down); got != c.want {
			t.Errorf("%s: it has the MTU of the next hop: %t", name, got)
		}
		tunnelled := inbox.Arrival{N3: true, Received: packet.Received{TPDU: append([]byte(nil), c.ip...), Tunnelled: true,
			Header: gtpu.Header{Type: gtpu.GPDU, TEID: u.Tunnel}}}
		if len(c.ip) >= 20 {
			copy(tunnelled.TPDU[16:], u.Addr.AsSlice())
		}
		if got := icmpError(&tunnelled, &up, 3, 4) != nil; got != c.want {
			t.Errorf("%s: in the tunnel it is an ICMP error: %t", name, got)
		}
	}
}

// failing is a port that cannot send.
type failing struct{ error }

func (f failing) Send([]byte) error { return f.error }
func (failing) On(func([]byte))     {}

// broken is a lab whose ports cannot send.
type broken struct {
	Lab
	port failing
}

func (b broken) N3() Port { return b.port }
func (b broken) N6() Port { return b.port }

// A bench that cannot send says nothing about the UPF, and is no reason to leave its cases out.
func TestOnlyKeepsTheBenchsErrors(t *testing.T) {
	g := Sample()
	down := errors.New("network is down")
	run := NewT(context.Background(), &Bench{Lab: broken{port: failing{down}}, Inbox: inbox.New(1, netip.Prefix{})}, g)
	if err := Only(Up(g.UE(0), "")).Do(run); !errors.Is(err, down) {
		t.Errorf("the error is %v", err)
	}
	var f *fail.Failure
	run.Lab = broken{port: failing{nil}}
	if err := Only(Up(g.UE(0), "")).Do(run); !errors.As(err, &f) || f.Verdict != record.VerdictNotApplicable {
		t.Errorf("a packet that does not arrive: %v", err)
	}
}
