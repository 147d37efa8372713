package behaviour

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// Inside is a G-PDU that a UE sends as payload: a packet of another UE to a host.
type Inside struct {
	UE   *UE
	Host netip.Addr
}

// wrap is the UE's packet with the G-PDU in it. The mark is that of the packet inside.
func (in *Inside) wrap(outside packet.Inner, m packet.Mark) []byte {
	hidden := packet.Inner{From: in.UE.Addr, To: in.Host, Protocol: packet.UDP, FromPort: LocalPort,
		ToPort: RemotePort, TTL: 64, Length: packet.DefaultLength}.Bytes(m)
	message := gtpu.AppendGPDU(nil, in.UE.TEID, &gtpu.Container{Type: gtpu.UplinkInformation, QFI: DefaultQFI}, hidden)
	return packet.Outer{From: outside.From, To: outside.To, FromPort: outside.FromPort, ToPort: outside.ToPort}.Carry(message)
}

// Tunnelled sends a GTP-U message from the gNB.
func Tunnelled(text string, message func(*T) []byte) Step {
	return Step{Text: "send " + text, Do: func(t *T) error {
		o := packet.Outer{From: t.Fixture.GNB(0), To: t.Fixture.UPF}
		return t.Lab.N3().Send(o.Carry(message(t)))
	}}
}

// ReportOf waits for a session report of a type.
func ReportOf(u *UE, typ uint8, name string) Step {
	return Step{Text: name + " comes", Do: func(t *T) error {
		has := func(list []n4.Report) bool {
			for _, r := range list {
				if r.Type&typ != 0 {
					return true
				}
			}
			return false
		}
		if list := t.peer.Await(t.Ctx, t.sessions[u].Ours, 2*time.Second, has); !has(list) {
			return fail.Because(fail.Report, fail.Repeated(fail.NotEnforcedf(name+" comes", "none came in 2s")))
		}
		return nil
	}}
}

// ErrorReported waits for an error indication report, which names the tunnel of a UE at its gNB (TS 29.244 clause 7.5.8.4).
func ErrorReported(u *UE) Step {
	came := ReportOf(u, smf.ErrorIndication, "an error indication report")
	want := smf.FTEID{TEID: u.Tunnel, Addr: u.GNB}
	expected := fmt.Sprintf("an error indication report with the Remote F-TEID %#x at %s comes", want.TEID, want.Addr)
	return Step{Text: expected, Do: func(t *T) error {
		if err := came.Do(t); err != nil {
			return err
		}
		var list []smf.FTEID
		for _, r := range t.peer.Reports(t.sessions[u].Ours) {
			list = append(list, r.Remote...)
		}
		switch {
		case slices.Contains(list, want):
			return nil
		case len(list) == 0:
			return fail.NotEnforcedf(expected, "it has no Remote F-TEID")
		}
		return fail.Wrongf(expected, "it has %#x at %s", list[0].TEID, list[0].Addr)
	}}
}

// ReportToSEID waits for a session report and holds it to the SEID of a UE's session. That none comes is the finding of
// another case.
func ReportToSEID(u *UE) Step {
	const expected = "a session report goes to the SEID of the session"
	return Step{Text: expected, Do: func(t *T) error {
		any := func(list []n4.Report) bool { return len(list) > 0 || len(t.peer.Misaddressed()) > 0 }
		list := t.peer.Await(t.Ctx, t.sessions[u].Ours, 2*time.Second, any)
		if wrong := t.misaddressed(t.peer, expected); wrong != nil {
			return wrong
		}
		if len(list) == 0 {
			return fail.Repeated(fail.Inapplicable("no session report comes"))
		}
		return nil
	}}
}

// TooBig sends a downlink packet with DF that does not fit N3, and waits for ICMP
// Fragmentation Needed to its sender, or for the packet in fragments of the outer one.
func TooBig(p Packet) Step {
	const expected = "ICMP Fragmentation Needed comes back on N6, or the packet in fragments of its tunnel"
	return Step{Text: "send " + p.Describe() + ": " + expected, Do: func(t *T) error {
		sent, err := t.SendOne(&p)
		if err != nil {
			return err
		}
		dealt := func() bool {
			got := t.Inbox.Of(sent.Number)
			return len(got) > 0 && got[0].N3 && (got[0].Fragment || got[0].Pieces > 1) ||
				len(t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return fragmentationNeeded(a, &p) })) > 0
		}
		if !t.Inbox.Await(t.Ctx, arriveWithin, dealt) {
			return fail.Because("icmp", fail.Repeated(fail.NotEnforcedf(expected, "nothing came, or ICMP without the MTU of the next hop")))
		}
		for _, a := range t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return fragmentationNeeded(a, &p) }) {
			if text := oddICMP(&a, icmpError(&a, &p, 3, 4)); text != "" {
				return fail.Because(fail.ICMP, fail.Wrongf(expected, "%s", text))
			}
		}
		return nil
	}}
}

// fragmentationNeeded reports whether an arrival tells who sent a packet the MTU of the next hop (RFC 1191 clause 4).
func fragmentationNeeded(a *inbox.Arrival, p *Packet) bool {
	icmp := icmpError(a, p, 3, 4)
	return icmp != nil && binary.BigEndian.Uint16(icmp[6:]) != 0
}

// Over6 makes a packet one of IPv6.
func Over6(p Packet) Packet {
	host := netip.MustParseAddr("2001:db8:6::10")
	if p.Up {
		p.From, p.To = p.UE.Addr6, host
	} else {
		p.From, p.To = host, p.UE.Addr6
	}
	return p
}
