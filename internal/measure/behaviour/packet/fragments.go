package packet

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// Split gives an IPv4 packet in fragments of about the same size (RFC 791 clause 3.2), with an identification. Its
// payload has 8 octets or more for each of them.
func Split(ip []byte, pieces int, id uint16) (list [][]byte) {
	size := int(ip[0]&0xf) * 4
	body := ip[size:]
	units := (len(body) + 7) / 8 // offsets count them
	for i := range pieces {
		at, end := i*units/pieces*8, min((i+1)*units/pieces*8, len(body))
		part := body[at:end]
		f := append(append(make([]byte, 0, size+len(part)), ip[:size]...), part...)
		binary.BigEndian.PutUint16(f[2:], uint16(len(f)))
		binary.BigEndian.PutUint16(f[4:], id)
		offset := uint16(at / 8)
		if end < len(body) {
			offset |= 0x2000 // more follow
		}
		binary.BigEndian.PutUint16(f[6:], offset)
		checksum.SealIPv4(f[:size])
		list = append(list, f)
	}
	return list
}
