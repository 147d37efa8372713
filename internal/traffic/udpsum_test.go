package traffic

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
)

// rfc1071 is RFC 1071 to the letter: big-endian words, end-around carry.
func rfc1071(b []byte) uint16 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		word := uint32(b[i]) << 8
		if i+1 < len(b) {
			word |= uint32(b[i+1])
		}
		sum += word
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

// innerChecksum verifies an IP packet's UDP checksum; 0 means it is right.
func innerChecksum(packet []byte) uint16 {
	udp, pseudo := packet[ipBytes:], append([]byte{}, packet[12:20]...)
	if packet[0]>>4 == 6 {
		udp, pseudo = packet[ip6Bytes:], append([]byte{}, packet[8:40]...)
	}
	pseudo = append(pseudo, 0, 17)
	pseudo = binary.BigEndian.AppendUint16(pseudo, uint16(len(udp)))
	return rfc1071(append(pseudo, udp...))
}

// A frame's inner checksum is UDPSum plus the words of the signature that
// change, whatever they are: the arithmetic of signature.h.
func TestUDPSum(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		for _, payload := range []int{32, 33, 512, 1400, 1401, 8900} {
			f := studyFlow(d, payload)
			f.Shapes[0].DestinationPort = uint16(r.Uint32())
			s := Stream{UE: netip.AddrFrom4([4]byte{10, 45, byte(r.Uint32()), byte(r.Uint32())}), UplinkTEID: r.Uint32()}
			session, trial := r.IntN(MaxStreams), uint16(r.Uint32())
			sig := signature.Signature{Trial: trial, Word: uint32(session), Sequence: r.Uint64(), Intended: r.Uint64(), Sent: r.Uint64()}
			frame := f.Frame(s, 0)
			inner := frame[len(frame)-f.InnerBytes(f.Streams[0], 0):]
			sig.Put(inner[ipBytes+udpBytes:])
			sum := f.UDPSum(s, session, 0) + sig.VaryingSum()
			binary.LittleEndian.PutUint16(inner[ipBytes+6:], checksum.Finish(sum))
			if rest := innerChecksum(inner); rest != 0 {
				t.Errorf("%s, %d B: the inner checksum is off by %#x", d, payload, rest)
			}
		}
	}
}

// The outer UDP checksum covers the inner datagram, checksum included: it stays
// right when an engine signs the frame.
func TestOuterChecksumSurvivesSigning(t *testing.T) {
	f := studyFlow(record.Uplink, 1400)
	s := f.Streams[0]
	frame := f.Frame(s, 0)
	inner := frame[len(frame)-f.InnerBytes(f.Streams[0], 0):]
	sig := signature.Signature{Trial: 2, Sequence: 77, Intended: 1 << 40, Sent: 1<<40 + 12345}
	sig.Put(inner[ipBytes+udpBytes:])
	sum := f.UDPSum(s, 0, 0) + sig.VaryingSum()
	binary.LittleEndian.PutUint16(inner[ipBytes+6:], checksum.Finish(sum))
	if rest := innerChecksum(frame[ethernetBytes:]); rest != 0 {
		t.Errorf("the outer checksum is off by %#x", rest)
	}
}
