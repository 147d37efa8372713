package behaviour

import (
	"net/netip"

	"github.com/upflab/upflab/internal/lab/smf/rules"
)

// Ports of packets whose ports do not matter: the UE's and the other end's.
const (
	LocalPort  = 1000
	RemotePort = 2000
)

// Up is an uplink packet of a UE, which arrives plain on N6. name says what makes it
// different from others; "": nothing.
func Up(u *UE, name string) Packet { return Packet{UE: u, Up: true, Name: name, Wants: []Want{{}}} }

// Down is a downlink packet to a UE, which arrives in its tunnel.
func Down(u *UE, name string) Packet {
	return Packet{UE: u, Name: name, Wants: []Want{{Tunnel: &rules.Tunnel{TEID: u.Tunnel, Peer: u.GNB}}}}
}

// Lost makes it a packet that must not arrive.
func (p Packet) Lost() Packet {
	p.Wants = nil
	return p
}

// Plainly makes it a packet that shows that the session works at all.
func (p Packet) Plainly() Packet {
	p.Control = true
	return p
}

// Times makes it so many packets.
func (p Packet) Times(n int) Packet {
	p.Count = n
	return p
}

// Sized sets its length, octets of the inner IP packet.
func (p Packet) Sized(octets int) Packet {
	p.Length = octets
	return p
}

// Host sets the other end's address, Port its port, and At the UE's port.
func (p Packet) Host(a netip.Addr) Packet {
	if p.Up {
		p.To = a
	} else {
		p.From = a
	}
	return p
}

// Port sets the other end's port.
func (p Packet) Port(n uint16) Packet {
	if p.Up {
		p.ToPort = n
	} else {
		p.FromPort = n
	}
	return p
}

// At sets the UE's port.
func (p Packet) At(n uint16) Packet {
	if p.Up {
		p.FromPort = n
	} else {
		p.ToPort = n
	}
	return p
}

// By sets the protocol.
func (p Packet) By(protocol uint8) Packet {
	p.Protocol = protocol
	return p
}

// Into makes it arrive in another tunnel; the tunnel that it has so far is that of a
// UPF that ignores the rule.
func (p Packet) Into(tunnel rules.Tunnel) Packet {
	p.Ignored = append(p.Ignored[:len(p.Ignored):len(p.Ignored)], p.Wants...)
	p.Wants = []Want{{Tunnel: &tunnel}}
	return p
}

// Marked makes it arrive with a QFI.
func (p Packet) Marked(qfi uint8) Packet {
	wants := append([]Want(nil), p.Wants...)
	for i := range wants {
		wants[i].QFI = qfi
	}
	p.Wants = wants
	return p
}

// InFlow sets the QFI with which an uplink packet is sent.
func (p Packet) InFlow(qfi uint8) Packet {
	p.Outer.QFI = qfi
	return p
}

// Before makes the way in which another packet arrives that of a UPF that ignores the
// change.
func (p Packet) Before(other Packet) Packet {
	p.Ignored = append(p.Ignored[:len(p.Ignored):len(p.Ignored)], other.Wants...)
	return p
}
