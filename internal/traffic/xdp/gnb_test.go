package xdp

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

var otherGNBs = []netip.Addr{netip.MustParseAddr("192.168.13.132"), netip.MustParseAddr("10.255.0.1")}

// Streams of several gNBs: each frame is byte for byte the one that Flow.Frame builds, with
// its own gNB's address and checksums, alone and in a mixture.
func TestGNBs(t *testing.T) {
	d := newDealtTest(t)
	up := d.paths[0].Flow
	up.Streams[1].GNB, up.Streams[2].GNB, up.Streams[5].GNB = otherGNBs[0], otherGNBs[1], otherGNBs[0]
	if n := len(up.GNBs()); n != 3 {
		t.Fatalf("%d gNBs", n)
	}
	for _, q := range []traffic.Sequence{traffic.Only(0, 0), randomSequence(2, 2, 11)} {
		source, err := newSource(Config{Paths: d.paths}, core{share: traffic.Share{Of: 1}})
		if err != nil {
			t.Fatal(err)
		}
		g := traffic.Group{Sources: []traffic.Source{source}, Sinks: make([]traffic.Sink, len(d.paths))}
		_, err = g.Run(t.Context(), traffic.Schedule{PPS: lowRate, Duration: shortTrial, Sequence: q}, traffic.Marks{})
		if err := source.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		seen := map[netip.Addr]int{}
		for _, frame := range d.arrived[0].frames(t) {
			if len(frame) < uplinkSignatureAt+signature.Bytes || !slices.Equal(frame[:6], up.Destination) {
				continue
			}
			s := readSignature(t, frame[uplinkSignatureAt:])
			session, kind := int(s.Stream&0xfffff), int(s.Stream>>20)
			c := generatorCase{Uplink: true, Payload: up.Shapes[kind].Payload}
			c.checkBytes(t, frame, up.Frame(up.Streams[session], kind))
			seen[netip.AddrFrom4([4]byte(frame[26:30]))]++
		}
		for _, gnb := range up.GNBs() {
			if seen[gnb] < 10 {
				t.Errorf("%d frames of gNB %s", seen[gnb], gnb)
			}
		}
	}
}

// A packet of one stream from the gNB of another is wrong, in both receivers.
func TestGNBOfAnotherStream(t *testing.T) {
	f := testFlow(record.Uplink, 200, traffic.Expect{Encapsulated: true, Unchanged: true})
	f.Streams[1].GNB, f.Streams[2].GNB = otherGNBs[0], otherGNBs[1]
	gnbs := append([]netip.Addr{f.GNB}, otherGNBs...)
	ofAnotherStream(t, f, "outer IP header", func(s *traffic.Stream, k int) { s.GNB = gnbs[k] })
}
