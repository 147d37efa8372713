package upf

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"

	"github.com/upflab/upflab/internal/proto/gtpu"
)

// flows says in words what headers a captured frame has, down to those inside a tunnel, as far as
// it was captured: "10.0.0.1->10.0.0.2, UDP 2152->2152, GTP-U TEID 0x77, ...".
func flows(frame []byte) string {
	const header = 14
	if len(frame) < header {
		return ""
	}
	kind, b := binary.BigEndian.Uint16(frame[12:]), frame[header:]
	if kind == 0x8100 && len(b) >= 4 { // a VLAN's tag
		kind, b = binary.BigEndian.Uint16(b[2:]), b[4:]
	}
	if kind != 0x0800 && kind != 0x86dd {
		return fmt.Sprintf("EtherType %#04x", kind)
	}
	return strings.Join(ipFlows(b, 1), ", ")
}

// ipFlows is flows of an IP packet, which may have tunnels so deep.
func ipFlows(b []byte, tunnels int) []string {
	var from, to netip.Addr
	var protocol byte
	var rest []byte
	switch {
	case len(b) >= 20 && b[0]>>4 == 4 && b[0]&15 >= 5 && len(b) >= int(b[0]&15)*4:
		from, to = netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:]))
		protocol, rest = b[9], b[int(b[0]&15)*4:]
		if binary.BigEndian.Uint16(b[6:])&0x1fff != 0 {
			return []string{fmt.Sprintf("%v->%v", from, to), "a later fragment"}
		}
	case len(b) >= 40 && b[0]>>4 == 6:
		from, to = netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:]))
		protocol, rest = b[6], b[40:]
	default:
		return nil
	}
	list := []string{fmt.Sprintf("%v->%v", from, to)}
	const tcp, udp = 6, 17
	name := map[byte]string{tcp: "TCP", udp: "UDP"}[protocol]
	if name == "" || len(rest) < 8 {
		return append(list, fmt.Sprintf("protocol %d", protocol))
	}
	source, destination := binary.BigEndian.Uint16(rest), binary.BigEndian.Uint16(rest[2:])
	list = append(list, fmt.Sprintf("%s %d->%d", name, source, destination))
	if protocol != udp || tunnels == 0 || source != gtpu.Port && destination != gtpu.Port {
		return list
	}
	h, err := gtpu.Parse(rest[8:])
	if err != nil {
		return append(list, "GTP-U that cannot be read")
	}
	return append(append(list, fmt.Sprintf("GTP-U TEID %#x", h.TEID)), ipFlows(h.Payload, tunnels-1)...)
}
