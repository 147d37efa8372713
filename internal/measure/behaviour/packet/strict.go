package packet

import (
	"encoding/binary"
	"fmt"

	"github.com/upflab/upflab/internal/proto/gtpu"
)

// What is wrong with the GTP-U of a frame that can be read.
const (
	WrongHeader    = "gtpu-header"
	WrongExtension = "extension-header"
	WrongContainer = "container"
)

// Flaw holds the GTP-U headers of a G-PDU to what a sender has to write, in a word that is the same for all packets of a
// fault and in a sentence; "" where nothing is wrong, or where it is no G-PDU.
func (r *Received) Flaw() (what, why string) {
	var outer Received
	udp, _, ok := outer.network(r.IP)
	if !ok || !r.Tunnelled || r.Header.Type != gtpu.GPDU || len(udp) < 8+gtpu.HeaderLen {
		return "", ""
	}
	message := udp[8:]
	end := min(len(udp), int(binary.BigEndian.Uint16(udp[4:]))) - 8 // what follows UDP's is no GTP-U
	length := gtpu.HeaderLen + int(binary.BigEndian.Uint16(message[2:]))
	const spare = 1 << 3
	switch {
	case message[0]&spare != 0: // TS 29.281 clause 5.1
		return WrongHeader, "the spare bit of the GTP-U header is set"
	case end > length:
		return WrongHeader, fmt.Sprintf("%d octets follow the end of the GTP-U message", end-length)
	}
	if message[0]&flagE == 0 {
		return "", ""
	}
	return extensions(message[gtpu.HeaderLen+gtpu.OptionalLen:], message[gtpu.HeaderLen+gtpu.OptionalLen-1])
}

// known are the extension headers of TS 29.281 figure 5.2.1-3 that GTP-U has.
var known = map[byte]bool{0x02: true, 0x03: true, 0x20: true, 0x40: true, 0x81: true, 0x82: true, 0x83: true, 0x84: true,
	container: true, 0xc0: true}

// extensions looks at the extension headers of a message that was parsed.
func extensions(b []byte, next byte) (what, why string) {
	const endpoint = 0x80 // has to comprehend it (TS 29.281 clause 5.2.1)
	seen := map[byte]bool{}
	for next != 0 {
		size := 4 * int(b[0])
		content := b[1 : size-1]
		switch {
		case next&endpoint != 0 && !known[next]:
			return WrongExtension, fmt.Sprintf("its extension header of type %#02x is unknown, and the gNB has to comprehend it", next)
		case next == container && seen[next]:
			return WrongExtension, "it has two PDU session containers"
		case next == container:
			if why := containerFlaw(content); why != "" {
				return WrongContainer, why
			}
		}
		seen[next] = true
		next, b = b[size-1], b[size:]
	}
	return "", ""
}

// containerFlaw says which fields a downlink container announces and has no room for (TS 38.415 clause 5.5.2.1).
func containerFlaw(content []byte) string {
	if len(content) < 2 || content[0]>>4 != byte(gtpu.DownlinkInformation) {
		return ""
	}
	need, fields := 2, ""
	for _, f := range []struct {
		octet  int
		flag   byte
		octets int
		name   string
	}{{1, 1 << 7, 1, "PPP"}, {0, 1 << 3, 8, "QMP"}, {0, 1 << 2, 3, "SNP"}, {0, 1 << 1, 4, "MSNP"}} {
		if content[f.octet]&f.flag != 0 {
			need, fields = need+f.octets, fields+" "+f.name
		}
	}
	if need <= len(content) {
		return ""
	}
	return fmt.Sprintf("the PDU session container sets%s, which takes %d octets, and has %d", fields, need, len(content))
}
