package behaviour

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// deviation is in what an arrival is not what is wanted: a symptom, and a sentence; zero: it is.
type deviation struct{ symptom, why string }

// differs compares an arrival with what is wanted.
func (w *Want) differs(p *Sent, a *inbox.Arrival) deviation {
	switch {
	case w.Tunnel == nil && a.N3:
		return deviation{fail.Place, "it is on N3 in place of N6"}
	case w.Tunnel == nil && a.Tunnelled && !p.nested():
		return deviation{fail.Place, "it has a GTP-U header"}
	case w.Tunnel != nil && !a.N3:
		return deviation{fail.Place, "it is on N6 in place of N3"}
	case w.Tunnel != nil:
		if d := w.tunnelDiffers(a); d.why != "" {
			return d
		}
	}
	tpdu := a.TPDU
	if w.Tunnel == nil {
		tpdu = a.IP
	}
	if w.Exit != nil {
		var why string
		if tpdu, why = w.Exit.Unwrap(a.IP); why != "" {
			return deviation{fail.Tunnel, why}
		}
	}
	if what, why := packet.Difference(p.ip, tpdu); why != "" && !w.Altered {
		return deviation{what, why}
	}
	if was, is := packet.TTL(p.ip), packet.TTL(tpdu); w.Lower && is != was-1 {
		return deviation{"inner-ttl", fmt.Sprintf("the TTL is %d and was %d", is, was)}
	}
	if w.Also != nil {
		return deviation{w.Also.Symptom, w.Also.Differs(a)}
	}
	return deviation{}
}

// nested: the UE itself sends to GTP-U's port.
func (p *Sent) nested() bool { return p.ToPort == gtpu.Port }

func (w *Want) tunnelDiffers(a *inbox.Arrival) deviation {
	c := a.Header.Container
	switch {
	case a.Malformed != nil:
		return deviation{"gtpu-header", "its GTP-U header cannot be read: " + a.Malformed.Error()}
	case !a.Tunnelled || a.Header.Type != gtpu.GPDU:
		return deviation{fail.Tunnel, "it is no G-PDU"}
	case a.Header.TEID != w.Tunnel.TEID:
		return deviation{fail.Tunnel, fmt.Sprintf("the TEID is %#x in place of %#x", a.Header.TEID, w.Tunnel.TEID)}
	case a.To != w.Tunnel.Peer:
		return deviation{fail.Tunnel, fmt.Sprintf("it is sent to %s in place of %s", a.To, w.Tunnel.Peer)}
	}
	if what, why := a.Flaw(); why != "" {
		return deviation{what, why}
	}
	switch {
	case w.QFI != 0 && !a.Header.HasContainer:
		return deviation{"no-container", "there is no PDU session container"}
	case w.QFI != 0 && c.Type != gtpu.DownlinkInformation:
		return deviation{"container", "the PDU session container is not that of downlink"}
	case w.QFI != 0 && c.QFI != w.QFI:
		return deviation{"qfi", fmt.Sprintf("the QFI is %d in place of %d", c.QFI, w.QFI)}
	case w.RQI && !c.RQI:
		return deviation{"rqi", "the reflective QoS indicator is not set"}
	case w.TOS != nil && a.TOS != *w.TOS:
		return deviation{"outer-tos", fmt.Sprintf("the outer type of service is %#02x in place of %#02x", a.TOS, *w.TOS)}
	}
	return deviation{}
}

// wording says how a packet is to arrive.
func wording(wants []Want) string {
	var parts []string
	for _, w := range wants {
		parts = append(parts, w.String())
	}
	return strings.Join(parts, " and ")
}

// becomes says what is to become of a packet.
func becomes(wants []Want) string {
	if len(wants) == 0 {
		return "goes nowhere"
	}
	return "arrives " + wording(wants)
}

// String says where and how.
func (w Want) String() string {
	text := "plain on N6"
	if e := w.Exit; e != nil {
		text = fmt.Sprintf("on N6 in IP to %s", e.To)
		if e.UDP {
			text = fmt.Sprintf("on N6 in UDP to %s", netip.AddrPortFrom(e.To, e.ToPort))
		}
	}
	if w.Tunnel != nil {
		text = fmt.Sprintf("on N3 in tunnel %#x to %s", w.Tunnel.TEID, w.Tunnel.Peer)
	}
	if w.QFI != 0 {
		text += fmt.Sprintf(" with QFI %d", w.QFI)
	}
	if w.RQI {
		text += " with RQI"
	}
	if w.Lower {
		text += " with a TTL lower by one"
	}
	if w.Also != nil {
		text += " with " + w.Also.Text
	}
	if w.TOS != nil {
		text += fmt.Sprintf(" with outer type of service %#02x", *w.TOS)
	}
	return text
}

// Describe names a packet: "an uplink packet to port 80".
func (p *Packet) Describe() string {
	way := "a downlink packet"
	if p.Up {
		way = "an uplink packet"
	}
	if p.UE != nil && p.UE.Index > 0 {
		way += fmt.Sprintf(" of UE %d", p.UE.Index+1)
	}
	if p.Name != "" {
		way += " " + p.Name
	}
	return way
}

// describe lists packets for people.
func describe(list []Packet) string {
	var lines []string
	for i := range list {
		p := &list[i]
		text := p.Describe()
		if p.Count > 1 {
			text = fmt.Sprintf("%d times %s", p.Count, text)
		}
		if len(p.Wants) == 0 {
			text += ": goes nowhere"
		} else {
			text += ": arrives " + wording(p.Wants)
		}
		lines = append(lines, text)
	}
	return "send " + strings.Join(lines, "; ")
}

// address is the UE's, of the family of the other end: where the case leaves that open, the addresses of a UE with both
// take turns.
func (p *Packet) address(other netip.Addr) netip.Addr {
	if p.UE.Second.IsValid() && (other.Is6() || !other.IsValid() && p.turn%2 == 1) {
		return p.UE.Second
	}
	return p.UE.Addr
}

// inner is the packet with what the case left open.
func (p *Packet) inner(t *traffic) packet.Inner {
	in := p.Inner
	ue, host := &in.From, &in.To
	if !p.Up {
		ue, host = host, ue
	}
	if !ue.IsValid() {
		*ue = p.address(*host)
	}
	if !host.IsValid() {
		*host = t.Fixture.peer(*ue)
	}
	if in.Protocol == 0 {
		in.Protocol = packet.UDP
	}
	local, remote := &in.FromPort, &in.ToPort
	if !p.Up {
		local, remote = remote, local
	}
	if *local == 0 {
		*local = LocalPort
	}
	if *remote == 0 {
		*remote = RemotePort
	}
	if in.TTL == 0 {
		in.TTL = 64
	}
	if in.Length == 0 {
		in.Length = packet.DefaultLength
	}
	if in.ID == 0 {
		in.ID = uint16(t.number) | 1
	}
	return in
}

// outer is how an uplink packet is sent.
func (p *Packet) outer(t *traffic) packet.Outer {
	o := p.Outer
	if !o.From.IsValid() {
		o.From = t.Fixture.GNB(0)
	}
	if !o.To.IsValid() {
		o.To = p.UE.N3
	}
	if o.TEID == 0 {
		o.TEID = p.UE.TEID
	}
	if o.QFI == 0 {
		o.QFI = DefaultQFI
	}
	return o
}
