package behaviour

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// Returned sends a packet that goes nowhere and waits for the ICMP error that a router sends to who sent it
// (RFC 1812 clause 4.3): on N6, or to a UE in its tunnel.
func Returned(p Packet, typ, code uint8) Step {
	expected := fmt.Sprintf("ICMP type %d code %d comes back to its sender", typ, code)
	return Step{Text: "send " + p.Describe() + ": " + expected, Do: func(t *T) error {
		sent, err := t.SendOne(&p)
		if err != nil {
			return err
		}
		back := func() bool {
			return len(t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return icmpError(a, &p, typ, code) != nil })) > 0
		}
		if !t.Inbox.Await(t.Ctx, arriveWithin, back) {
			return fail.Because("icmp", fail.Repeated(fail.NotEnforcedf(expected, "nothing of that kind came")))
		}
		for _, a := range t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return icmpError(a, &p, typ, code) != nil }) {
			if text := oddICMP(&a, icmpError(&a, &p, typ, code)); text != "" {
				return fail.Because(fail.ICMP, fail.Wrongf(expected, "%s", text))
			}
		}
		t.book([]Sent{sent})
		return t.judge(&sent)
	}}
}

// oddICMP says why its receiver takes no notice of an ICMP error: its checksum (RFC 792), or a source that no host has
// (RFC 1812 clause 4.3.2.4); "": nothing.
func oddICMP(a *inbox.Arrival, icmp []byte) string {
	ip := a.IP
	if a.Tunnelled {
		ip = a.TPDU
	}
	from := netip.AddrFrom4([4]byte(ip[12:16]))
	switch {
	case checksum.Fold(checksum.Sum(icmp)) != 0xffff:
		return "it came with a wrong checksum"
	case from.IsUnspecified() || from.IsMulticast() || from.IsLoopback():
		return fmt.Sprintf("it came from %s", from)
	}
	return ""
}

// icmpError gives the ICMP message of an arrival that is an ICMP error to who sent a packet; nil: it is none.
func icmpError(a *inbox.Arrival, p *Packet, typ, code uint8) []byte {
	ip, to := a.IP, p.From
	if p.Up {
		if !a.N3 || !a.Tunnelled || a.Header.Type != gtpu.GPDU || a.Header.TEID != p.UE.Tunnel {
			return nil
		}
		ip, to = a.TPDU, p.UE.Addr
	} else if a.N3 {
		return nil
	}
	icmp := packet.Body4(ip)
	if icmp == nil || ip[9] != packet.ICMP || netip.AddrFrom4([4]byte(ip[16:])) != to || icmp[0] != typ || icmp[1] != code {
		return nil
	}
	return icmp
}

// Only sends a packet that what follows rests on: where it does not arrive, the case does not apply.
func Only(p Packet) Step {
	s := Send(p)
	return Step{Text: s.Text, Do: func(t *T) error {
		err := s.Do(t)
		var f *fail.Failure
		if errors.As(err, &f) {
			return fail.Repeated(fail.Inapplicable("%s does not arrive", p.Describe()))
		}
		return err
	}}
}

// Bursts sends so many packets at once, several times with a pause, all of which have to arrive.
func Bursts(times, size int, pause time.Duration, list ...Packet) []Step {
	var steps []Step
	for range times {
		for _, p := range list {
			steps = append(steps, SendSlowly(1_000_000, p.Times(size)))
		}
		steps = append(steps, Wait(pause))
	}
	return steps
}
