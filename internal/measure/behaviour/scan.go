package behaviour

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Origin is from where somebody tries to reach the UPF itself.
type Origin struct {
	// Name is for people: "a UE".
	Name string
	From netip.Addr
	// send sends an IP packet from there; back gives the one that an arrival there
	// carries, nil when it arrived elsewhere.
	send func(t *T, ip []byte) error
	back func(a *Arrival) []byte
}

// FromUE is a UE that has a session.
func FromUE(u *UE) Origin {
	return Origin{Name: "a UE, through its tunnel,", From: u.Addr,
		send: func(t *T, ip []byte) error {
			o := packet.Outer{From: u.GNB, To: u.N3, TEID: u.TEID, QFI: defaultQFI}
			return t.Lab.N3().Send(o.Encapsulate(ip))
		},
		back: func(a *Arrival) []byte {
			if a.N3 && a.Tunnelled && a.Header.Type == gtpu.GPDU && a.Header.TEID == u.Tunnel {
				return a.TPDU
			}
			return nil
		}}
}

// FromN3 is somebody on the link of N3.
func FromN3(g *Fixture) Origin {
	return Origin{Name: "a host on N3", From: g.GNB(0),
		send: func(t *T, ip []byte) error { return t.Lab.N3().Send(ip) },
		back: func(a *Arrival) []byte {
			if a.N3 && !a.Tunnelled {
				return a.IP
			}
			return nil
		}}
}

// FromN6 is a host of the data network.
func FromN6(g *Fixture) Origin {
	return Origin{Name: "a host on N6", From: g.DN(0),
		send: func(t *T, ip []byte) error { return t.Lab.N6().Send(ip) },
		back: func(a *Arrival) []byte {
			if !a.N3 {
				return a.IP
			}
			return nil
		}}
}

// Ports that a scan of TCP tries at a time, and how long it waits for answers to those.
const (
	scanAtOnce = 4096
	scanWait   = 60 * time.Millisecond
	scanFrom   = 40_000 // the port that it comes from
)

// Closed tries every TCP port of an address of the UPF: none may be open.
func Closed(from Origin, what string, to netip.Addr) Step {
	text := fmt.Sprintf("%s tries all TCP ports of the UPF's address on %s: none is open", from.Name, what)
	return Step{Text: text, Do: func(t *T) error {
		var open []uint16
		seen := map[uint16]bool{}
		for first := 1; first <= 0xffff && t.Ctx.Err() == nil; first += scanAtOnce {
			found, err := t.scan(from, to, first, min(first+scanAtOnce, 0x10000))
			if err != nil {
				return err
			}
			for _, port := range found {
				if !seen[port] { // the UPF repeats what it says
					seen[port] = true
					open = append(open, port)
				}
			}
		}
		if len(open) > 0 {
			return notEnforced(from.Name+" finds no open TCP port of the UPF", "open at %s: %v", to, open)
		}
		return t.Ctx.Err()
	}}
}

// scan gives the open ports from first to before end.
func (t *T) scan(from Origin, to netip.Addr, first, end int) (open []uint16, err error) {
	t.inbox.forgetOthers()
	for port := first; port < end; port++ {
		if err := from.send(t, packet.SYN(from.From, to, scanFrom, uint16(port))); err != nil {
			return nil, err
		}
		if port%64 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	t.wait(scanWait)
	for _, a := range t.inbox.unmarked(func(a *Arrival) bool { return from.back(a) != nil }) {
		if port, yes := packet.Accepts(from.back(&a), to, scanFrom); yes {
			open = append(open, port)
		}
	}
	return open, nil
}

// NoPFCP sends heartbeats to N4 from elsewhere: none may be answered.
func NoPFCP(from Origin) Step {
	expected := "PFCP that " + from.Name + " sends to N4 is not answered"
	return Step{Text: expected, Do: func(t *T) error {
		t.inbox.forgetOthers()
		const times = 3
		for range times {
			heartbeat := packet.Datagram(from.From, t.Fixture.UPFN4, pfcp.Port, pfcp.Port, t.peer.Heartbeat())
			if err := from.send(t, heartbeat); err != nil {
				return err
			}
			t.wait(quiet)
		}
		answers := t.inbox.unmarked(func(a *Arrival) bool { return answersPFCP(from.back(a), t.Fixture.UPFN4) })
		if len(answers) > 0 {
			return notEnforced(expected, "%d of %d heartbeats are", len(answers), times)
		}
		return nil
	}}
}

// answersPFCP reports whether a packet is of UDP from N4.
func answersPFCP(ip []byte, n4 netip.Addr) bool {
	if len(ip) < 28 || ip[0]>>4 != 4 || ip[9] != packet.UDP {
		return false
	}
	size := int(ip[0]&0xf) * 4
	from, _ := netip.AddrFromSlice(ip[12:16])
	return from == n4 && len(ip) >= size+8 && binary.BigEndian.Uint16(ip[size:]) == pfcp.Port
}
