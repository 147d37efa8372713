package main

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// n4 is the device's end of PFCP (TS 29.244), which knows what an SMF of plain sessions sends: F-TEIDs that
// the SMF chose, one FAR to each side, one QFI.
type n4 struct {
	conn  *net.UDPConn
	node  netip.Addr
	n3    netip.Addr
	rules atomic.Pointer[rules]
	began time.Time
}

// rules are those of all sessions. They are replaced whole, so that the lanes need no lock.
type rules struct {
	up   map[uint32]bool       // TEIDs of the device
	down map[netip.Addr]tunnel // by the address of the UE
	of   map[uint64]session
}

type session struct {
	teid uint32
	ue   netip.Addr
	to   tunnel
}

type tunnel struct {
	teid uint32
	gnb  netip.Addr
	qfi  byte
}

func listen(address, n3 string) (*n4, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	n, err := netip.ParseAddr(n3)
	if err != nil {
		return nil, err
	}
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	d := &n4{conn: conn, node: at.Addr(), n3: n, began: time.Now()}
	d.rules.Store(&rules{of: map[uint64]session{}})
	return d, nil
}

// Messages (table 7.3-1) and information elements (table 8.1.2-1).
const (
	heartbeat, association, associationUpdate, associationRelease = 1, 5, 7, 9
	establishment, modification, deletion                         = 50, 52, 54

	createPDR, pdi, createFAR, forwardingParameters       = 1, 2, 3, 4
	createQER, updateFAR, updateForwardingParameters      = 7, 10, 11
	cause, fTEID, outerHeaderCreation                     = 19, 21, 84
	fSEID, nodeID, functionFeatures, ueIP, recovery       = 57, 60, 43, 93, 96
	qfi                                                   = 124
	accepted                                         byte = 1
)

func (d *n4) answer() {
	b := make([]byte, 65536)
	for {
		n, from, err := d.conn.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		if reply := d.reply(b[:n]); reply != nil {
			if _, err := d.conn.WriteToUDPAddrPort(reply, from); err != nil {
				return
			}
		}
	}
}

func (d *n4) reply(m []byte) []byte {
	if len(m) < 8 || m[0]>>5 != 1 {
		return nil
	}
	kind, at := m[1], 4
	var seid uint64
	if m[0]&1 != 0 {
		if len(m) < 16 {
			return nil
		}
		seid, at = binary.BigEndian.Uint64(m[4:]), 12
	}
	sequence, ies := m[at:at+3], m[at+4:]
	node := ie(nodeID, append([]byte{0}, d.node.AsSlice()...))
	ok := ie(cause, []byte{accepted})
	stamp := ie(recovery, binary.BigEndian.AppendUint32(nil, uint32(d.began.Unix()+2208988800)))
	switch kind {
	case heartbeat:
		return message(kind+1, nil, sequence, stamp)
	case association:
		return message(kind+1, nil, sequence, node, ok, stamp, ie(functionFeatures, []byte{0, 0}))
	case associationUpdate, associationRelease:
		return message(kind+1, nil, sequence, node, ok)
	case establishment:
		peer, ours := d.establish(ies)
		id := binary.BigEndian.AppendUint64([]byte{2}, ours)
		return message(kind+1, &peer, sequence, node, ok, ie(fSEID, append(id, d.node.AsSlice()...)))
	case modification, deletion:
		d.change(seid, func(s *session) bool {
			s.read(ies)
			return kind == modification
		})
		return message(kind+1, &seid, sequence, ok) // the SMF of a test gives both ends one number, or 0 will do
	}
	return nil
}

func (d *n4) establish(ies []byte) (peer, ours uint64) {
	walk(ies, func(kind uint16, v []byte) {
		if kind == fSEID && len(v) >= 9 {
			peer = binary.BigEndian.Uint64(v[1:])
		}
	})
	d.change(peer, func(s *session) bool { s.read(ies); return true })
	return peer, peer
}

// change edits a session, by the SMF's number, and puts all rules in force; keep is false where it ends.
func (d *n4) change(id uint64, edit func(*session) (keep bool)) {
	old := d.rules.Load()
	r := &rules{up: map[uint32]bool{}, down: map[netip.Addr]tunnel{}, of: map[uint64]session{}}
	for k, s := range old.of {
		r.of[k] = s
	}
	s := r.of[id]
	if edit(&s) {
		r.of[id] = s
	} else {
		delete(r.of, id)
	}
	for _, s := range r.of {
		r.up[s.teid], r.down[s.ue] = true, s.to
	}
	d.rules.Store(r)
}

// read takes over what a request says of the session.
func (s *session) read(ies []byte) {
	walk(ies, func(kind uint16, v []byte) {
		switch kind {
		case createPDR, pdi, createQER, forwardingParameters, updateForwardingParameters:
			s.read(v)
		case createFAR, updateFAR:
			s.read(v)
		case fTEID:
			if len(v) >= 5 {
				s.teid = binary.BigEndian.Uint32(v[1:])
			}
		case ueIP:
			if len(v) >= 5 && v[0]&2 != 0 {
				s.ue = netip.AddrFrom4([4]byte(v[1:5]))
			}
		case outerHeaderCreation:
			if len(v) >= 10 {
				s.to.teid, s.to.gnb = binary.BigEndian.Uint32(v[2:]), netip.AddrFrom4([4]byte(v[6:10]))
			}
		case qfi:
			s.to.qfi = v[0] & 0x3f
		}
	})
}

func walk(b []byte, each func(kind uint16, value []byte)) {
	for len(b) >= 4 {
		kind, n := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
		if len(b) < 4+n || n == 0 {
			return
		}
		each(kind, b[4:4+n])
		b = b[4+n:]
	}
}

func ie(kind uint16, value []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, kind)
	return append(binary.BigEndian.AppendUint16(b, uint16(len(value))), value...)
}

func message(kind byte, seid *uint64, sequence []byte, ies ...[]byte) []byte {
	b := []byte{1 << 5, kind, 0, 0}
	if seid != nil {
		b[0] |= 1
		b = binary.BigEndian.AppendUint64(b, *seid)
	}
	b = append(append(b, sequence...), 0)
	for _, x := range ies {
		b = append(b, x...)
	}
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)-4))
	return b
}

// Offsets in the frames of a test: IPv4 without options.
const (
	ethernet, ip, udp, gtp = 14, 20, 8, 8
	container              = 8 // optional fields and a PDU session container
)

// decapsulate makes the frame of N6 of a G-PDU; nil: not a session's.
func (d *n4) decapsulate(f []byte, out *port) []byte {
	at := ethernet + ip + udp
	if len(f) < at+gtp+ip || f[12] != 8 || f[13] != 0 || f[ethernet+9] != 17 ||
		binary.BigEndian.Uint16(f[ethernet+ip+2:]) != 2152 || f[at+1] != 255 {
		return nil
	}
	if !d.rules.Load().up[binary.BigEndian.Uint32(f[at+4:])] {
		return nil
	}
	inner := at + gtp
	if f[at]&7 != 0 { // optional fields: extension headers until the type 0
		inner += 4
		for next := f[inner-1]; next != 0 && inner < len(f) && f[inner] != 0; {
			inner += 4 * int(f[inner])
			if inner > len(f) {
				return nil
			}
			next = f[inner-1]
		}
	}
	end := at + gtp + int(binary.BigEndian.Uint16(f[at+2:]))
	if inner > end || end > len(f) {
		return nil
	}
	return link(out, f[inner:end])
}

// encapsulate makes the frame of N3 of an IPv4 packet to a UE; nil: not a session's.
func (d *n4) encapsulate(f []byte, out *port) []byte {
	if len(f) < ethernet+ip || f[12] != 8 || f[13] != 0 {
		return nil
	}
	inner := f[ethernet:]
	inner = inner[:min(len(inner), int(binary.BigEndian.Uint16(inner[2:])))]
	to, ok := d.rules.Load().down[netip.AddrFrom4([4]byte(inner[16:20]))]
	if !ok {
		return nil
	}
	g := []byte{0x34, 255, 0, 0}
	g = binary.BigEndian.AppendUint16(g[:2], uint16(len(inner)+container))
	g = binary.BigEndian.AppendUint32(g, to.teid)
	g = append(g, 0, 0, 0, 0x85, 1, 0, to.qfi, 0) // TS 38.415: DL PDU SESSION INFORMATION
	g = append(g, inner...)
	u := binary.BigEndian.AppendUint16(nil, 2152)
	u = binary.BigEndian.AppendUint16(u, 2152)
	u = binary.BigEndian.AppendUint16(u, uint16(udp+len(g)))
	u = append(u, 0, 0)
	p := []byte{0x45, 0}
	p = binary.BigEndian.AppendUint16(p, uint16(ip+udp+len(g)))
	p = append(p, 0, 0, 0x40, 0, 64, 17, 0, 0)
	p = append(append(p, d.n3.AsSlice()...), to.gnb.AsSlice()...)
	binary.BigEndian.PutUint16(p[10:], checksum(p))
	return link(out, append(append(p, u...), g...))
}

// link puts an Ethernet header before a packet; nil while nobody is known on the link.
func link(out *port, packet []byte) []byte {
	if out.peer == nil {
		peer, err := neighbour(out.name)
		if err != nil {
			return nil
		}
		out.peer = peer
	}
	f := append(append(append([]byte{}, out.peer...), out.mac...), 8, 0)
	return append(f, packet...)
}

// checksum is that of an IPv4 header (RFC 791) whose own field is 0.
func checksum(b []byte) uint16 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
