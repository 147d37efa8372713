package seeded

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// reassembled puts fragments of outer IPv4 packets together, as the kernel does for the UPF: nil while some are missing,
// and the packet itself where it is whole. It keeps one packet at a time, whose fragments come in any order.
func (u *UPF) reassembled(ip []byte) []byte {
	const more, offset = 0x2000, 0x1fff
	flags := binary.BigEndian.Uint16(ip[6:])
	if ip[0] != 0x45 || flags&(more|offset) == 0 {
		return ip
	}
	if id := [2]byte(ip[4:]); id != u.partsOf {
		u.parts, u.partsOf, u.partsEnd, u.partsHave = nil, id, 0, 0
	}
	at := 20 + 8*int(flags&offset)
	if u.parts == nil {
		u.parts = make([]byte, 1<<16)
	}
	copy(u.parts[at:], ip[20:])
	u.partsHave += len(ip) - 20
	if flags&offset == 0 {
		copy(u.parts, ip[:20])
	}
	if flags&more == 0 {
		u.partsEnd = at + len(ip) - 20
	}
	if u.partsEnd == 0 || u.partsHave < u.partsEnd-20 {
		return nil
	}
	whole := u.parts[:u.partsEnd:u.partsEnd]
	u.parts, u.partsOf, u.partsEnd, u.partsHave = nil, [2]byte{}, 0, 0
	binary.BigEndian.PutUint16(whole[2:], uint16(len(whole)))
	whole[6], whole[7] = 0, 0
	checksum.SealIPv4(whole)
	return whole
}
