package xdp

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/receive"
	"github.com/upflab/upflab/wire/checksum"
	"github.com/upflab/upflab/wire/signature"
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
		source, err := newSource(Config{Paths: d.paths}, core{deal: traffic.Deal{Of: 1}})
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
		time.Sleep(time.Millisecond)
	}
}

// A packet of one stream from the gNB of another is wrong, in both receivers.
func TestGNBOfAnotherStream(t *testing.T) {
	f := testFlow(record.Uplink, 200, traffic.Expect{Encapsulated: true, Unchanged: true})
	f.Streams[1].GNB, f.Streams[2].GNB = otherGNBs[0], otherGNBs[1]
	f.Destination = f.Expect.MAC
	s, twin := openTestSink(t, f), receive.New(f)
	if err := s.Begin(testTrial); err != nil {
		t.Fatal(err)
	}
	twin.Begin(testTrial)
	for i := range f.Streams {
		for k, gnb := range append([]netip.Addr{f.GNB}, otherGNBs...) {
			sent := f.Streams[i]
			sent.GNB = gnb
			b := f.Frame(sent, 0)
			sig := signature.Signature{Word: signature.Word(i, 0), Trial: testTrial, Sequence: uint64(k), Intended: 1, Sent: 1}
			sig.Put(b[uplinkSignatureAt:])
			sum := f.UDPSum(sent, i, 0) + sig.VaryingSum()
			checksum.Put(b[uplinkSignatureAt-2:], checksum.FinishUDP(sum))
			s.receive(t, b)
			twin.Frame(b, 5e6)
		}
	}
	o, err := s.Outcome([]uint64{3, 3, 3})
	if err != nil {
		t.Fatal(err)
	}
	p := twin.Outcome([]uint64{3, 3, 3})
	for _, x := range []traffic.FlowOutcome{o, p} {
		if x.Received != 3 || len(x.Wrong) != 1 || x.Wrong[0].Place != "outer IP header" || x.Wrong[0].Packets != 6 || !slices.Equal(x.ReceivedBySession, []uint64{1, 1, 1}) {
			t.Errorf("received %d, %v by session, wrong %v", x.Received, x.ReceivedBySession, x.Wrong)
		}
	}
}
