package mirror

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
)

// wants reports whether a frame is the session's, and whether it is in a tunnel, as at N3.
func (x *capture) wants(frame []byte, out bool) (n3, wanted bool) {
	const header = 14
	if len(frame) < header {
		return false, false
	}
	ip := frame[header:]
	message, source, destination := tunnelled(ip)
	if message == nil || source != x.N3Address && destination != x.N3Address {
		return false, x.hasUE(ip, out)
	}
	h, err := gtpu.Parse(message)
	switch {
	case err != nil || gtpu.MessageType(message[1]) != gtpu.GPDU:
		return true, false
	case out:
		return true, x.hasUE(h.Payload, false)
	}
	return true, slices.Contains(x.Of, datapath.WatchKey{TEID: h.TEID})
}

// hasUE reports whether an IP packet is to a UE of the session, or from one.
func (x *capture) hasUE(ip []byte, from bool) bool {
	source, destination := addresses(ip)
	if from {
		destination = source
	}
	return destination.IsValid() && slices.Contains(x.Of, datapath.WatchUE(destination))
}

// addresses are a packet's; invalid when it is no IP packet.
func addresses(ip []byte) (source, destination netip.Addr) {
	switch {
	case len(ip) >= 20 && ip[0]>>4 == 4:
		return netip.AddrFrom4([4]byte(ip[12:])), netip.AddrFrom4([4]byte(ip[16:]))
	case len(ip) >= 40 && ip[0]>>4 == 6:
		return netip.AddrFrom16([16]byte(ip[8:])), netip.AddrFrom16([16]byte(ip[24:]))
	}
	return source, destination
}

// tunnelled is the GTP-U message in an IPv4 packet; nil when there is none.
func tunnelled(ip []byte) (message []byte, source, destination netip.Addr) {
	source, destination = addresses(ip)
	if !source.Is4() || ip[9] != unix.IPPROTO_UDP {
		return nil, source, destination
	}
	at := int(ip[0]&0xf) * 4
	if at < 20 || len(ip) < at+8+gtpu.HeaderLen || binary.BigEndian.Uint16(ip[at+2:]) != gtpu.Port {
		return nil, source, destination
	}
	end := min(len(ip), max(at+8, int(binary.BigEndian.Uint16(ip[2:]))))
	return ip[at+8 : end], source, destination
}
