// Package scan tries to reach the UPF itself, from where users and others are.
package scan

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
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
	send func(t *behaviour.T, ip []byte) error
	back func(a *inbox.Arrival) []byte
}

// FromUE is a UE that has a session.
func FromUE(u *behaviour.UE) Origin {
	return Origin{Name: "a UE, through its tunnel,", From: u.Addr,
		send: func(t *behaviour.T, ip []byte) error {
			o := packet.Outer{From: u.GNB, To: u.N3, TEID: u.TEID, QFI: behaviour.DefaultQFI}
			return t.Lab.N3().Send(o.Encapsulate(ip))
		},
		back: func(a *inbox.Arrival) []byte {
			if a.N3 && a.Tunnelled && a.Header.Type == gtpu.GPDU && a.Header.TEID == u.Tunnel {
				return a.TPDU
			}
			return nil
		}}
}

// FromN3 is somebody on the link of N3.
func FromN3(g *behaviour.Fixture) Origin {
	return Origin{Name: "a host on N3", From: g.GNB(0),
		send: func(t *behaviour.T, ip []byte) error { return t.Lab.N3().Send(ip) },
		back: func(a *inbox.Arrival) []byte {
			if a.N3 && !a.Tunnelled {
				return a.IP
			}
			return nil
		}}
}

// FromN6 is a host of the data network.
func FromN6(g *behaviour.Fixture) Origin {
	return Origin{Name: "a host on N6", From: g.DN(0),
		send: func(t *behaviour.T, ip []byte) error { return t.Lab.N6().Send(ip) },
		back: func(a *inbox.Arrival) []byte {
			if !a.N3 {
				return a.IP
			}
			return nil
		}}
}

// A scan of TCP tries so many ports, then waits for answers to those. It asks again for ports of which it hears
// nothing, each time at half the rate, since a queue on the way may be full.
const (
	scanAtOnce = 4096
	scanWait   = 60 * time.Millisecond
	scanFrom   = 40_000 // the port that it comes from
	scanRounds = 5
	scanBurst  = 64 // ports a millisecond in the first round
)

// Closed tries every TCP port of an address of the UPF: none may be open.
func Closed(from Origin, what string, to netip.Addr) behaviour.Step {
	text := fmt.Sprintf("%s tries all TCP ports of the UPF's address on %s: none is open", from.Name, what)
	return behaviour.Step{Text: text, Do: func(t *behaviour.T) error { return closed(t, from, to, 0xffff) }}
}

// closed tries the ports from 1 to last. A port is closed when it says so, when the packet that asked left the UPF
// for another network, or when it stays silent in a round in which no silent port is heard of any more.
func closed(t *behaviour.T, from Origin, to netip.Addr, last int) error {
	var open, silent []uint16
	for port := 1; port <= last; port++ {
		silent = append(silent, uint16(port))
	}
	heard := 0
	for round := range scanRounds {
		told, err := scan(t, from, to, silent, scanBurst>>round)
		if err != nil {
			return err
		}
		var left []uint16
		for _, port := range silent {
			switch told[port] {
			case packet.Open:
				open = append(open, port)
			case packet.Unrelated:
				left = append(left, port)
			}
		}
		heard, silent = len(silent)-len(left), left
		if heard == 0 && round > 0 || len(silent) == 0 {
			break
		}
	}
	switch {
	case len(open) > 0:
		slices.Sort(open)
		return fail.NotEnforcedf(from.Name+" finds no open TCP port of the UPF", "open at %s: %v", to, open)
	case len(silent) > 0 && heard > 0:
		return fail.Repeated(fail.Inapplicable("not known: of %d TCP ports, %d have not answered when asked %d times, and others answered the last time alone. "+
			"Packets are lost on the way: repeat it when the machine is less busy", last, len(silent), scanRounds))
	}
	return nil
}

// scan tries ports, so many a millisecond, and gives what was heard of each.
func scan(t *behaviour.T, from Origin, to netip.Addr, ports []uint16, burst int) (map[uint16]packet.Probed, error) {
	told := map[uint16]packet.Probed{}
	t.Inbox.ForgetOthers()
	for chunk := range slices.Chunk(ports, scanAtOnce) {
		for i, port := range chunk {
			if err := from.send(t, packet.SYN(from.From, to, scanFrom, port)); err != nil {
				return nil, err
			}
			if i%burst == burst-1 {
				time.Sleep(time.Millisecond) // the pace: not faster than queues hold
			}
		}
		t.Wait(scanWait)
		if t.Ctx.Err() != nil {
			return nil, t.Ctx.Err()
		}
		for _, a := range t.Inbox.TakeOthers() {
			port, what := packet.Probe(a.IP, from.From, to, scanFrom) // a SYN that left by N3 or N6
			if what != packet.Passed {
				port, what = packet.Probe(from.back(&a), from.From, to, scanFrom)
			}
			if what != packet.Unrelated && told[port] != packet.Open {
				told[port] = what
			}
		}
	}
	return told, nil
}

// NoPFCP sends heartbeats to N4 from elsewhere: none may be answered.
func NoPFCP(from Origin) behaviour.Step {
	expected := "PFCP that " + from.Name + " sends to N4 is not answered"
	return behaviour.Step{Text: expected, Do: func(t *behaviour.T) error {
		t.Inbox.ForgetOthers()
		const times = 3
		for range times {
			heartbeat := packet.Datagram(from.From, t.Fixture.UPFN4, pfcp.Port, pfcp.Port, t.Peer().Heartbeat())
			if err := from.send(t, heartbeat); err != nil {
				return err
			}
			t.Wait(behaviour.Quiet)
		}
		answers := t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return answersPFCP(from.back(a), t.Fixture.UPFN4) })
		if len(answers) > 0 {
			return fail.NotEnforcedf(expected, "%d of %d heartbeats are", len(answers), times)
		}
		return nil
	}}
}

// answersPFCP reports whether a packet is of UDP from N4.
func answersPFCP(ip []byte, n4 netip.Addr) bool {
	udp := packet.Body4(ip)
	if udp == nil || ip[9] != packet.UDP {
		return false
	}
	from, _ := netip.AddrFromSlice(ip[12:16])
	return from == n4 && binary.BigEndian.Uint16(udp) == pfcp.Port
}
