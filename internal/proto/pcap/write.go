package pcap

import (
	"encoding/binary"
	"io"
	"net"
)

// Interface is one that packets of a file are of.
type Interface struct {
	Name string
	MAC  net.HardwareAddr // if_MACaddr, which says which port it is; none: left out
}

// Way is the direction of a packet, as the flags of a packet's block have it.
type Way uint32

// The ways.
const (
	AnyWay Way = 0
	In     Way = 1
	Out    Way = 2
)

// Writer writes a pcapng file of one section, of Ethernet frames, in nanoseconds.
type Writer struct {
	to io.Writer
}

// NewWriter writes the file's header. Packets name an interface by its place in the list.
func NewWriter(to io.Writer, interfaces ...Interface) (*Writer, error) {
	section := binary.LittleEndian.AppendUint32(nil, byteOrder)
	section = binary.LittleEndian.AppendUint16(section, 1) // version 1.0
	section = binary.LittleEndian.AppendUint16(section, 0)
	section = binary.LittleEndian.AppendUint64(section, ^uint64(0)) // length not given
	file := block(nil, blockSection, options(section, option{optionUserAppl, []byte("upflab")}))
	for _, i := range interfaces {
		file = block(file, blockInterface, i.body())
	}
	_, err := to.Write(file)
	return &Writer{to}, err
}

// Write adds a frame of the interface p.Of; p.Length is what it had on the wire.
func (w *Writer) Write(p Packet) error {
	at := uint64(p.At.UnixNano())
	body := binary.LittleEndian.AppendUint32(nil, uint32(p.Of))
	body = binary.LittleEndian.AppendUint32(body, uint32(at>>32))
	body = binary.LittleEndian.AppendUint32(body, uint32(at))
	body = binary.LittleEndian.AppendUint32(body, uint32(len(p.Data)))
	body = binary.LittleEndian.AppendUint32(body, uint32(p.Length))
	body = padded(append(body, p.Data...))
	var list []option
	if p.Comment != "" {
		list = append(list, option{optionComment, []byte(p.Comment)})
	}
	if p.Way != AnyWay {
		list = append(list, option{optionFlags, binary.LittleEndian.AppendUint32(nil, uint32(p.Way))})
	}
	if len(list) > 0 {
		body = options(body, list...)
	}
	_, err := w.to.Write(block(nil, blockPacket, body))
	return err
}

func (i Interface) body() []byte {
	const nanoseconds = 9 // a power of ten, negative
	body := binary.LittleEndian.AppendUint16(nil, uint16(Ethernet))
	body = binary.LittleEndian.AppendUint16(body, 0)
	body = binary.LittleEndian.AppendUint32(body, 0) // frames of any length
	list := []option{{optionName, []byte(i.Name)}}
	if len(i.MAC) == 6 {
		list = append(list, option{optionMAC, i.MAC})
	}
	return options(body, append(list, option{optionResolution, []byte{nanoseconds}})...)
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
