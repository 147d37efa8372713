package forward

import (
	"encoding/binary"

	"github.com/upflab/upflab/upf/session"
)

// flow is what rows look at in a T-PDU, by the end: the UE's and the other one.
type flow struct {
	remote, local         uint32
	remotePort, localPort uint16
	hasPorts, hasSPI      bool
	protocol, tos         uint8
	removal               session.Encapsulation // the tunnel on N6 that the packet came by; GTPU: none
	qfi                   uint8
	hasQFI                bool
	spi                   uint32
	remote6, local6       address6 // of an IPv6 packet
	label                 uint32
}

// Protocols whose first four octets are the ports, and those with an SPI.
const (
	protocolTCP     = 6
	protocolDCCP    = 33
	protocolESP     = 50
	protocolAH      = 51
	protocolSCTP    = 132
	protocolUDPLite = 136
)

// flowOf reads a T-PDU that was cut to its length. from is the side that it comes
// from.
func flowOf(ip []byte, from session.Interface) (f flow) {
	if isIPv6(ip) {
		f.read6(ip)
	} else {
		f.read4(ip)
	}
	if from == session.Core {
		f.local, f.remote = f.remote, f.local
		f.local6, f.remote6 = f.remote6, f.local6
		f.localPort, f.remotePort = f.remotePort, f.localPort
	}
	return f
}

func (f *flow) read4(ip []byte) {
	f.local, f.remote = binary.BigEndian.Uint32(ip[12:]), binary.BigEndian.Uint32(ip[16:])
	f.protocol, f.tos = ip[9], ip[1]
	if binary.BigEndian.Uint16(ip[6:])&offsetBits == 0 {
		f.readTransport(ip[headerBytes(ip):])
	}
}

func (f *flow) read6(ip []byte) {
	f.local6, f.remote6 = numbers6([16]byte(ip[8:24])), numbers6([16]byte(ip[24:40]))
	word := binary.BigEndian.Uint32(ip)
	f.tos, f.label = uint8(word>>20), word&0xfffff
	u := upperOf(ip)
	f.protocol = u.protocol
	if u.whole && u.at <= len(ip) {
		f.readTransport(ip[u.at:])
	}
}

// readTransport reads the ports as those of a packet that the UE sends.
func (f *flow) readTransport(next []byte) {
	if len(next) < 4 {
		return
	}
	switch f.protocol {
	case protocolTCP, protocolUDP, protocolDCCP, protocolSCTP, protocolUDPLite:
		f.hasPorts = true
		f.localPort, f.remotePort = binary.BigEndian.Uint16(next), binary.BigEndian.Uint16(next[2:])
	case protocolESP:
		f.hasSPI, f.spi = true, binary.BigEndian.Uint32(next)
	case protocolAH:
		if len(next) >= 8 {
			f.hasSPI, f.spi = true, binary.BigEndian.Uint32(next[4:])
		}
	}
}
