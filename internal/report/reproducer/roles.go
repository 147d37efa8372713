package reproducer

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// Ports of N4 and N3 (TS 29.244 clause 4.2.2, TS 29.281 clause 4.4.2.1).
const (
	pfcpPort = 8805
	gtpuPort = 2152
)

// roles are whose the addresses of a recording are.
type roles struct {
	UPFN4 string   `json:"upf_n4"`
	UPFN3 string   `json:"upf_n3"`
	SMF   []string `json:"smf"`
	GNBs  []string `json:"gnbs"`
	Hosts []string `json:"hosts"`
}

// assign reads from the packets whose each address is: who sent, and where to.
func (r *recording) assign() {
	r.SMF, r.GNBs, r.Hosts = []string{}, []string{}, []string{}
	for _, s := range r.steps {
		from, to, ok := readIP(s.octets)
		if !ok {
			continue
		}
		if !s.out {
			from, to = to, from
		}
		switch s.link {
		case "N4":
			add(&r.SMF, from)
			first(&r.UPFN4, to)
		case "N3":
			add(&r.GNBs, from)
			if u, ok := readUDP(s.octets); ok && (u.toPort == gtpuPort || u.fromPort == gtpuPort) {
				first(&r.UPFN3, to)
			}
		case "N6":
			add(&r.Hosts, from)
		}
	}
	if r.UPFN3 == "" {
		r.UPFN3 = r.UPFN4
	}
}

func add(list *[]string, a netip.Addr) {
	if s := a.String(); !slices.Contains(*list, s) && !a.IsMulticast() {
		*list = append(*list, s)
	}
}

func first(s *string, a netip.Addr) {
	if *s == "" {
		*s = a.String()
	}
}

// readIP gives the addresses of an Ethernet frame's IP packet.
func readIP(frame []byte) (from, to netip.Addr, ok bool) {
	ip := frame[min(14, len(frame)):]
	switch {
	case len(ip) >= 20 && ip[0]>>4 == 4:
		return netip.AddrFrom4([4]byte(ip[12:])), netip.AddrFrom4([4]byte(ip[16:])), true
	case len(ip) >= 40 && ip[0]>>4 == 6:
		return netip.AddrFrom16([16]byte(ip[8:])), netip.AddrFrom16([16]byte(ip[24:])), true
	}
	return from, to, false
}

type datagram struct {
	fromPort, toPort uint16
	payload          []byte
}

// carries reports whether a frame is a G-PDU.
func carries(frame []byte) bool {
	const gpdu = 255
	u, ok := readUDP(frame)
	return ok && u.toPort == gtpuPort && len(u.payload) >= 8 && u.payload[1] == gpdu
}

// readUDP takes a frame with UDP in IP apart.
func readUDP(frame []byte) (u datagram, ok bool) {
	ip := frame[min(14, len(frame)):]
	var body []byte
	switch {
	case len(ip) >= 28 && ip[0]>>4 == 4 && ip[9] == 17 && len(ip) >= int(ip[0]&15)*4+8:
		body = ip[int(ip[0]&15)*4:]
	case len(ip) >= 48 && ip[0]>>4 == 6 && ip[6] == 17:
		body = ip[40:]
	default:
		return u, false
	}
	return datagram{binary.BigEndian.Uint16(body), binary.BigEndian.Uint16(body[2:]), body[8:]}, true
}
