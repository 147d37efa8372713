package capture

import (
	"encoding/binary"
	"time"
)

// The parts of the pcapng format that are written
// (draft-ietf-opsawg-pcapng, clauses 4.1 to 4.3).
//
// gopacket's pcapgo.NgWriter is not used: it writes no if_MACaddr, which says which
// port a hop is, and has no way to add an option to an interface.
const (
	blockSection   = 0x0A0D0D0A
	blockInterface = 1
	blockPacket    = 6
	byteOrder      = 0x1A2B3C4D

	optionEnd        = 0
	optionUserAppl   = 4 // of the section
	optionName       = 2 // of an interface
	optionMAC        = 6
	optionResolution = 9
	optionFlags      = 2 // of a packet

	linkEthernet = 1
	nanoseconds  = 9 // a power of ten, negative
	flagIn       = 1
	flagOut      = 2
)

// pcapng is a file of one section with an interface for each hop.
func pcapng(hops []Hop, frames []frame) []byte {
	section := binary.LittleEndian.AppendUint32(nil, byteOrder)
	section = binary.LittleEndian.AppendUint16(section, 1) // version 1.0
	section = binary.LittleEndian.AppendUint16(section, 0)
	section = binary.LittleEndian.AppendUint64(section, ^uint64(0)) // length not given
	file := block(nil, blockSection, options(section, option{optionUserAppl, []byte("upflab")}))
	for _, h := range hops {
		file = block(file, blockInterface, interfaceBody(h))
	}
	for _, f := range frames {
		file = block(file, blockPacket, packetBody(f))
	}
	return file
}

func interfaceBody(h Hop) []byte {
	body := binary.LittleEndian.AppendUint16(nil, linkEthernet)
	body = binary.LittleEndian.AppendUint16(body, 0)
	body = binary.LittleEndian.AppendUint32(body, 0) // frames of any length
	list := []option{{optionName, []byte(h.Name)}}
	if len(h.Port.MAC) == 6 {
		list = append(list, option{optionMAC, h.Port.MAC})
	}
	return options(body, append(list, option{optionResolution, []byte{nanoseconds}})...)
}

func packetBody(f frame) []byte {
	at := uint64(f.at / time.Nanosecond)
	body := binary.LittleEndian.AppendUint32(nil, uint32(f.hop))
	body = binary.LittleEndian.AppendUint32(body, uint32(at>>32))
	body = binary.LittleEndian.AppendUint32(body, uint32(at))
	body = binary.LittleEndian.AppendUint32(body, uint32(len(f.bytes)))
	body = binary.LittleEndian.AppendUint32(body, uint32(f.length))
	body = padded(append(body, f.bytes...))
	flags := uint32(flagIn)
	if f.out {
		flags = flagOut
	}
	return options(body, option{optionFlags, binary.LittleEndian.AppendUint32(nil, flags)})
}

// option is a code and its value.
type option struct {
	code  uint16
	value []byte
}

func options(body []byte, list ...option) []byte {
	for _, o := range append(list, option{code: optionEnd}) {
		body = binary.LittleEndian.AppendUint16(body, o.code)
		body = binary.LittleEndian.AppendUint16(body, uint16(len(o.value)))
		body = padded(append(body, o.value...))
	}
	return body
}

// padded fills up to a multiple of 32 bits.
func padded(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// block adds a block: its type, its length, the padded body, its length again.
func block(file []byte, kind uint32, body []byte) []byte {
	length := uint32(len(body) + 12)
	file = binary.LittleEndian.AppendUint32(file, kind)
	file = binary.LittleEndian.AppendUint32(file, length)
	file = append(file, body...)
	return binary.LittleEndian.AppendUint32(file, length)
}
