package sender

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

func testFlow(d record.Direction, shapes ...traffic.Shape) *traffic.Flow {
	f := &traffic.Flow{
		Direction: d, QFI: 1, Shapes: shapes,
		Source: net.HardwareAddr{2, 0x75, 0x70, 0x66, 3, 1}, Destination: net.HardwareAddr{2, 0x75, 0x70, 0x66, 3, 2},
		GNB: netip.MustParseAddr("192.168.13.131"), UPF: netip.MustParseAddr("192.168.13.151"), DN: netip.MustParseAddr("192.168.16.152"), DN6: netip.MustParseAddr("2001:db8:6::2"),
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		f.Streams = append(f.Streams, traffic.Stream{UE: netip.AddrFrom4([4]byte{10, 45, byte(i), byte(r.Uint32())}),
			UplinkTEID: r.Uint32(), DownlinkTEID: r.Uint32(), QFI: uint8(i)}) // 0: the flow's
		if i%5 == 3 {
			f.Streams[i].UE = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, byte(i), byte(r.Uint32()), 15: byte(r.Uint32())})
		}
		if i%3 > 0 {
			f.Streams[i].GNB = netip.AddrFrom4([4]byte{172, 16, byte(r.Uint32()), byte(r.Uint32())})
		}
	}
	return f
}

// overIPv6 gives a flow, and those of its streams that have one, gNBs with IPv6.
func overIPv6(f *traffic.Flow) *traffic.Flow {
	f.GNB, f.UPF = netip.MustParseAddr("2001:db8:13::1"), netip.MustParseAddr("2001:db8:13::2")
	for i := range f.Streams {
		if s := &f.Streams[i]; s.GNB.IsValid() {
			b := s.GNB.As4()
			s.GNB = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, 0x13, 12: b[0], b[1], b[2], b[3]})
		}
	}
	return f
}

// withPorts gives the streams of a flow source ports of their own.
func withPorts(f *traffic.Flow) *traffic.Flow {
	for i := range f.Streams {
		f.Streams[i].SourcePort = uint16(65535 - 1000*i)
	}
	return f
}

// Every frame is that of traffic.Flow.Frame, which is scapy's, but for the signature
// and the inner checksum, which is right by RFC 1071.
func TestTemplateBuildsTheFlowsFrames(t *testing.T) {
	content := bytes.Repeat([]byte{0xa5, 0x01, 0xff}, 400)
	shapes := []traffic.Shape{
		{Payload: 1400, SourcePort: 1234, DestinationPort: 1234},
		{Payload: 32, SourcePort: 1, DestinationPort: 65535},
		{Payload: 33 + 1200, SourcePort: 53, DestinationPort: 9, Content: append([]byte{7}, content...)},
		{Payload: 8900, SourcePort: 4, DestinationPort: 5},
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, f := range []*traffic.Flow{testFlow(record.Uplink, shapes...), testFlow(record.Downlink, shapes...),
		overIPv6(testFlow(record.Uplink, shapes...)), withPorts(testFlow(record.Uplink, shapes...)), withPorts(testFlow(record.Downlink, shapes...))} {
		tp := newTemplate(f)
		for session, stream := range f.Streams {
			for kind := range shapes {
				var b [HeadMax]byte
				n := tp.build(&b, session, kind,
					signature.Signature{Trial: uint16(r.Uint32()), Sequence: r.Uint64(), Intended: r.Uint64(),
						Sent: r.Uint64()})
				got := append(append([]byte{}, b[:n]...), tp.shapeOf(session, kind).body...)
				checkFrame(t, f, stream, got, f.Frame(stream, kind), signature.Word(session, kind))
			}
		}
	}
}

func checkFrame(t *testing.T, f *traffic.Flow, s traffic.Stream, got, want []byte, word uint32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("a frame of %d octets, want %d", len(got), len(want))
	}
	inner := ethernetBytes
	if f.Uplink() {
		inner += f.TunnelBytes()
	}
	if fault := udpFault(got[inner:]); fault != 0 {
		t.Fatalf("the inner UDP checksum is off by %#x", fault)
	}
	if fault := udpFault(got[ethernetBytes:]); f.Uplink() && fault != 0 {
		t.Fatalf("the outer UDP checksum is off by %#x", fault)
	}
	at := inner + traffic.LayoutOf(s.UE).Bytes + 8
	if w := binary.LittleEndian.Uint32(got[at+4:]); w != word {
		t.Fatalf("the stream word is %#x, want %#x", w, word)
	}
	copy(want[at-2:], got[at-2:at+signature.Bytes])
	if !bytes.Equal(got, want) {
		t.Fatalf("a frame is\n%x, want\n%x", got, want)
	}
}

// udpFault is what is wrong with the UDP checksum of an IP packet, by RFC 1071 and RFC 8200 as
// it stands there; 0: nothing.
func udpFault(packet []byte) uint16 {
	udp, b := packet[20:], append([]byte{}, packet[12:20]...)
	if packet[0]>>4 == 6 {
		udp, b = packet[40:], append([]byte{}, packet[8:40]...)
	}
	b = append(b, 0, 17)
	b = append(binary.BigEndian.AppendUint16(b, uint16(len(udp))), udp...)
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
