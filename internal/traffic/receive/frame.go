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

	etherIPv4      = 0x0800
	etherIPv6      = 0x86dd
	versionIPv6    = 6 << 28 // with traffic class and flow label 0
	classIPv6      = 0xff << 20
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
	first        int // length of the first IP header
	inner        int // offset of the inner IP header
	ip           int // its length
	encapsulated bool
	teid         uint32
	qfi          uint8  // qfiNone: it has no container
	gnb          []byte // the outer address at the gNB's end
	marked       bool   // the inner packet says that it met congestion
	wrong        reason // the first fault
}

func (f *frame) fault(why reason) {
	if f.wrong == right {
		f.wrong = why
	}
}

// open finds the inner packet. false: the frame is none of ours.
func (f *frame) open(want *expectation) bool {
	b := f.data
	if len(b) < ethernetBytes+ipBytes+udpBytes+gtpBytes {
		return false
	}
	f.first = want.firstIP(b)
	if f.first == 0 || len(b) < ethernetBytes+f.first+udpBytes {
		return false
	}
	tunnel := binary.BigEndian.Uint16(b[ethernetBytes+f.first+2:]) == gtpu.Port
	if f.first == ip6Bytes && !want.outer6() {
		tunnel = false
	}
	if tunnel && len(b) < ethernetBytes+f.first+udpBytes+gtpBytes || !tunnel && f.first == ip6Bytes && want.families&traffic.IPv6 == 0 {
		return false
	}
	if !bytes.Equal(b[:6], want.mac[:]) {
		f.fault(wrongEthernet)
	}
	f.inner = ethernetBytes
	f.encapsulated = tunnel
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

// outer6 reports whether N3 has IPv6.
func (e *expectation) outer6() bool { return e.outer.Bytes == ip6Bytes }

// firstIP is the length of the first IP header of a frame; 0: it is not of those that a frame of the flow
// could have, with UDP behind it.
func (e *expectation) firstIP(b []byte) int {
	ip := b[ethernetBytes:]
	switch binary.BigEndian.Uint16(b[12:]) {
	case etherIPv4:
		if ip[0] == 0x45 && ip[9] == protocolUDP {
			return ipBytes
		}
	case etherIPv6:
		if (e.families&traffic.IPv6 != 0 || e.outer6()) && ip[0]>>4 == 6 && ip[6] == protocolUDP {
			return ip6Bytes
		}
	}
	return 0
}

func (f *frame) checkOuter(want *expectation) {
	ip, l := f.data[ethernetBytes:], want.outer
	if f.first != l.Bytes {
		f.fault(wrongOuterIP) // of the other family: nothing else of it can be right
		return
	}
	gnbAt, upfAt := l.GNBAt(want.fromGNB), l.GNBAt(!want.fromGNB)
	f.gnb = ip[gnbAt : gnbAt+l.Address]
	if !bytes.Equal(ip[upfAt:upfAt+l.Address], want.upf) || !want.gnbs && !bytes.Equal(f.gnb, want.gnb) {
		f.fault(wrongOuterIP)
	}
	udp := ip[l.Bytes:]
	if want.outer6() {
		if int(binary.BigEndian.Uint16(ip[4:])) != len(udp) {
			f.fault(wrongOuterIP)
		}
	} else if int(binary.BigEndian.Uint16(ip[2:])) != len(ip) || !rightChecksum(ip) {
		f.fault(wrongOuterIP)
	}
	if int(binary.BigEndian.Uint16(udp[4:])) != len(udp) || want.outer6() && noChecksum(udp) {
		f.fault(wrongOuterUDP)
	}
}

// noChecksum is wrong over IPv6 (RFC 8200 clause 8.1): nobody has agreed to go without (RFC 6936 clause 5).
func noChecksum(udp []byte) bool { return udp[6] == 0 && udp[7] == 0 }

// rightOuterSum reports whether the checksum of an outer UDP datagram over IPv6 is right. Its inner packet is
// right, so that it adds up to what its own checksums say: the payload is not read, as it is not in the sink.
func (f *frame) rightOuterSum() bool {
	ip, inner := f.data[ethernetBytes:], f.data[f.inner:]
	l := traffic.Layout{Source: 12, Address: 4}
	if f.ip == ip6Bytes {
		l = traffic.Layout{Source: 8, Address: 16}
	}
	pseudo := checksum.Sum(inner[l.Source:l.Source+2*l.Address]) + checksum.Words(protocolUDP) + checksum.Sum(inner[f.ip+4:f.ip+6])
	sum := checksum.Sum(ip[8:ip6Bytes]) + checksum.Words(protocolUDP) + checksum.Sum(ip[ip6Bytes+4:ip6Bytes+6]) +
		checksum.Sum(f.data[ethernetBytes+ip6Bytes:f.inner+f.ip])
	return checksum.Fold(sum+uint64(^checksum.Fold(pseudo))) == 0xffff
}

func (f *frame) checkGTP(want *expectation) {
	start := ethernetBytes + f.first + udpBytes
	gtp := f.data[start:]
	flags := gtp[0]
	f.inner = start + gtpBytes
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
