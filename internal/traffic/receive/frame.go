package receive

import (
	"bytes"
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// Lengths and numbers of Ethernet, IPv4 without options, IPv6 without extensions, UDP, and GTP-U
// (TS 29.281 clause 5.1).
const (
	ethernetBytes = 14
	ipBytes       = 20
	ip6Bytes      = 40
	udpBytes      = 8
	gtpBytes      = 8
	udpEnd        = ethernetBytes + ipBytes + udpBytes

	etherIPv4      = 0x0800
	etherIPv6      = 0x86dd
	versionIPv6    = 6 << 28 // with traffic class and flow label 0
	protocolUDP    = 17
	gtpGPDU        = 255
	gtpVersion     = 0x30 // version 1, protocol type GTP
	gtpVersionMask = 0xf0
	gtpOptional    = 0x07 // E, S or PN
	gtpExtension   = 0x04 // E
	extensionPSC   = 0x85
)

// qfiNone is none that fits into a PDU session container.
const qfiNone = 64

// frame is a frame on its way through the checks.
type frame struct {
	data         []byte
	inner        int // offset of the inner IP header
	ip           int // its length
	encapsulated bool
	teid         uint32
	qfi          uint8   // qfiNone: it has no container
	gnb          [4]byte // the outer address at the gNB's end
	wrong        reason  // the first fault
}

func (f *frame) fault(why reason) {
	if f.wrong == right {
		f.wrong = why
	}
}

// open finds the inner packet. false: the frame is none of ours.
func (f *frame) open(want *expectation) bool {
	b := f.data
	if len(b) < udpEnd+gtpBytes {
		return false
	}
	ip := b[ethernetBytes:]
	plain6 := want.families&traffic.IPv6 != 0 && binary.BigEndian.Uint16(b[12:]) == etherIPv6
	switch {
	case plain6 && (ip[0]>>4 != 6 || ip[6] != protocolUDP):
		return false
	case !plain6 && (binary.BigEndian.Uint16(b[12:]) != etherIPv4 || ip[0] != 0x45 || ip[9] != protocolUDP):
		return false
	}
	if !bytes.Equal(b[:6], want.mac[:]) {
		f.fault(wrongEthernet)
	}
	f.inner = ethernetBytes
	f.encapsulated = !plain6 && binary.BigEndian.Uint16(ip[ipBytes+2:]) == gtpu.Port
	switch {
	case !f.encapsulated && want.encapsulated:
		f.fault(wrongNotEncapsulated)
	case f.encapsulated && !want.encapsulated:
		f.fault(wrongStillEncapsulated)
	case f.encapsulated:
		f.checkOuter(want)
	}
	if f.encapsulated {
		f.checkGTP(want)
	}
	if f.inner >= len(b) {
		return false
	}
	f.ip = want.innerIP(b[f.inner:])
	return f.inner+f.ip+udpBytes+signature.Bytes <= len(b)
}

func (f *frame) checkOuter(want *expectation) {
	ip := f.data[ethernetBytes:]
	upf := [4]byte(ip[12:16])
	if f.gnb = [4]byte(ip[16:20]); want.fromGNB {
		upf, f.gnb = f.gnb, upf
	}
	if upf != want.upf || !want.gnbs && f.gnb != want.gnb {
		f.fault(wrongOuterIP)
	}
	if int(binary.BigEndian.Uint16(ip[2:])) != len(ip) || !rightChecksum(ip) {
		f.fault(wrongOuterIP)
	}
	if int(binary.BigEndian.Uint16(ip[ipBytes+4:])) != len(ip)-ipBytes {
		f.fault(wrongOuterUDP)
	}
}

func (f *frame) checkGTP(want *expectation) {
	gtp := f.data[udpEnd:]
	flags := gtp[0]
	f.inner = udpEnd + gtpBytes
	if gtp[1] != gtpGPDU || flags&gtpVersionMask != gtpVersion {
		f.fault(wrongGTP)
	}
	if int(binary.BigEndian.Uint16(gtp[2:])) != len(gtp)-gtpBytes {
		f.fault(wrongGTP)
	}
	f.teid = binary.BigEndian.Uint32(gtp[4:])
	if flags&gtpOptional == 0 {
		if want.psc {
			f.fault(wrongPSC)
		}
		return
	}
	f.inner += 4
	switch {
	case f.inner > len(f.data):
		f.fault(wrongGTP)
	case flags&gtpExtension != 0 && gtp[gtpBytes+3] == extensionPSC:
		f.checkPSC(want)
	case want.psc:
		f.fault(wrongPSC)
	}
}

// checkPSC reads the one extension header that is expected, a PDU session
// container (TS 38.415 clause 5.5.2), and moves past it. Others are a fault.
func (f *frame) checkPSC(want *expectation) {
	psc := f.data[f.inner:]
	if len(psc) < 4 {
		f.fault(wrongGTP)
		return
	}
	f.inner += int(psc[0]&7) * 4
	if psc[0] != 1 || psc[3] != 0 {
		f.fault(wrongGTP)
		return
	}
	f.qfi = psc[2] & 0x3f
	if psc[1]>>4 != want.pscType || !want.qfis && f.qfi != want.qfi {
		f.fault(wrongQFI)
	}
}

// rightChecksum reports whether the checksum of an IPv4 header is right.
func rightChecksum(ip []byte) bool { return checksum.Fold(checksum.Sum(ip[:ipBytes])) == 0xffff }
