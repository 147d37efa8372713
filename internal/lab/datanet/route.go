package datanet

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// routeKind asks the kernel where a packet of this process to an address would go, by its rules
// and tables, as connect(2) does, and gives the kind of that route, RTN_... Routes to the machine
// itself are RTN_LOCAL: those of its addresses, and whole prefixes that somebody made local
// (AnyIP), which no list of addresses has.
func routeKind(network string, to netip.AddrPort) (kind uint8, err error) {
	family, bits := unix.AF_INET, to.Addr().BitLen()
	if to.Addr().Is6() {
		family = unix.AF_INET6
	}
	protocol := byte(unix.IPPROTO_TCP)
	if network == "udp" {
		protocol = unix.IPPROTO_UDP
	}
	ask := nl.NewNetlinkRequest(unix.RTM_GETROUTE, unix.NLM_F_REQUEST)
	ask.AddData(&nl.RtMsg{RtMsg: unix.RtMsg{Family: uint8(family), Dst_len: uint8(bits)}})
	ask.AddData(nl.NewRtAttr(unix.RTA_DST, to.Addr().AsSlice()))
	ask.AddData(nl.NewRtAttr(unix.RTA_UID, nl.Uint32Attr(uint32(unix.Geteuid()))))
	ask.AddData(nl.NewRtAttr(unix.RTA_IP_PROTO, []byte{protocol})) // rules may choose by both
	ask.AddData(nl.NewRtAttr(unix.RTA_DPORT, binary.BigEndian.AppendUint16(nil, to.Port())))
	answers, err := ask.Execute(unix.NETLINK_ROUTE, 0)
	if err != nil {
		return 0, fmt.Errorf("ask for the route to %s: %w", to.Addr(), err)
	}
	for _, a := range answers {
		if len(a) >= unix.SizeofRtMsg {
			return nl.DeserializeRtMsg(a).Type, nil
		}
	}
	return 0, fmt.Errorf("ask for the route to %s: the kernel gave no answer", to.Addr())
}
