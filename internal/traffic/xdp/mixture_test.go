package xdp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// mixtureCase is one of testdata/mixture.json: shapes, and scapy's frame of each
// stream and shape.
type mixtureCase struct {
	Name   string
	Shapes []struct {
		Payload             int
		Content             string
		Source, Destination uint16
	}
	Uplink, Downlink [][]string
}

func mixtureCases(t *testing.T) (cases []mixtureCase) {
	readJSON(t, "testdata/mixture.json", &cases)
	return cases
}

func (c mixtureCase) shapes(t *testing.T) (list []traffic.Shape) {
	for _, h := range c.Shapes {
		s := traffic.Shape{Payload: h.Payload, SourcePort: h.Source, DestinationPort: h.Destination}
		if h.Content != "" {
			s.Content = unhex(t, h.Content)
		}
		list = append(list, s)
	}
	return list
}

func (c mixtureCase) frame(t *testing.T, flow uint8, session, shape int) []byte {
	if flow == 0 {
		return unhex(t, c.Uplink[session][shape])
	}
	return unhex(t, c.Downlink[session][shape])
}

// flow is a direction's, with the case's shapes.
func (c mixtureCase) flow(t *testing.T, d record.Direction, e traffic.Expect) *traffic.Flow {
	f := testFlow(d, 32, e)
	f.Shapes = c.shapes(t)
	if strings.HasPrefix(c.Name, "tunnel6 ") {
		f = overIPv6(f)
	}
	return ofFamilies(f, c.Name)
}

// randomSequence has slots of every flow and shape, in no order.
func randomSequence(flows, shapes, length int) (q traffic.Sequence) {
	r := rand.New(rand.NewPCG(1, 2))
	for range length {
		q = append(q, traffic.Slot{Flow: uint8(r.IntN(flows)), Shape: uint16(r.IntN(shapes))})
	}
	return q
}

// What leaves is the sequence, slot for slot, and each frame is scapy's.
func TestMixtureFrames(t *testing.T) {
	tb := sitetest.Build(t)
	for _, c := range mixtureCases(t) {
		t.Run(c.Name, func(t *testing.T) { c.run(t, tb) })
	}
}

func (c mixtureCase) run(t *testing.T, tb site.Site) {
	arrived := []*capture{openCapture(t, tb.Links().UPFN3), openCapture(t, tb.Links().UPFN6)}
	flows := []*traffic.Flow{c.flow(t, record.Uplink, traffic.Expect{}), c.flow(t, record.Downlink, traffic.Expect{})}
	g, err := newMixture(Config{Paths: []Path{{Flow: flows[0], Send: tb.Links().GNB}, {Flow: flows[1], Send: tb.Links().DNN6}}}, core{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	q := randomSequence(2, len(c.Shapes), 101)
	s := traffic.Schedule{PPS: 3000, Duration: 200 * time.Millisecond, Warmup: 20 * time.Millisecond,
		Quiet: 10 * time.Millisecond, Sequence: q}
	trial := g.sendAll(t, s)
	sent := make([]traffic.FlowOutcome, 2)
	g.sent(g.progress(), sent)
	for flow := range flows {
		c.check(t, q, uint8(flow), trialsFrames(t, arrived[flow], flows[flow], trial), sent[flow])
	}
}

// sendAll sends a schedule in a trial of its own. A generator that gets no CPU is
// cut off: then in another.
func (g *generator) sendAll(t *testing.T, s traffic.Schedule) (trial uint16) {
	t.Helper()
	for trial = testTrial; trial < testTrial+20; trial += 2 {
		control, err := g.prepare(s, trial)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.send(t.Context(), &control, s, traffic.Marks{}); err != nil {
			t.Fatal(err)
		}
		if g.progress().Sent == control.Slots {
			return trial
		}
	}
	t.Fatalf("the generator sent %d frames, not all, in ten tries: is the machine that busy?", g.progress().Sent)
	return 0
}

// trialsFrames are those of a flow that are not of the warm-up, with their
// signatures.
func trialsFrames(t *testing.T, from *capture, f *traffic.Flow, trial uint16) (list []signed) {
	for _, frame := range from.frames(t) {
		if string(frame[:12]) != string(append(f.Destination[:6:6], f.Source...)) {
			continue // the kernel's own
		}
		payload := 14 + 28
		if f.Uplink() {
			payload += f.TunnelBytes()
		}
		if frame[payload-28]>>4 == 6 {
			payload += 20
		}
		if s := readSignature(t, frame[payload:payload+signature.Bytes]); s.Trial == trial {
			list = append(list, signed{s, frame, payload})
		}
	}
	return list
}

type signed struct {
	signatureOf
	frame   []byte
	payload int // offset
}

func (c mixtureCase) check(t *testing.T, q traffic.Sequence, flow uint8, frames []signed, sent traffic.FlowOutcome) {
	t.Helper()
	var bytes uint64
	var slot uint64
	next := make([]uint64, len(c.Uplink))
	for n, f := range frames {
		for q.At(slot).Flow != flow {
			slot++
		}
		session, shape := int(f.Stream&0xfffff), int(f.Stream>>20)
		if shape != int(q.At(slot).Shape) || session >= len(next) || f.Seq != next[session] {
			t.Fatalf("frame %d of flow %d is of shape %d, session %d, number %d; slot %d wants shape %d, number %v",
				n, flow, shape, session, f.Seq, slot, q.At(slot).Shape, next)
		}
		next[session]++
		slot++
		bytes += uint64(len(f.frame))
		c.checkBytes(t, f, c.frame(t, flow, session, shape))
	}
	if sent.Sent != uint64(len(frames)) || sent.SentBytes != bytes {
		t.Errorf("flow %d: told %d frames, %d bytes sent; %d, %d arrived", flow, sent.Sent, sent.SentBytes, len(frames), bytes)
	}
}

// checkBytes compares with scapy's frame all but signature and inner checksum,
// which has to be right by RFC 1071 then, and with it the outer one.
func (c mixtureCase) checkBytes(t *testing.T, f signed, want []byte) {
	t.Helper()
	const ethernet = 14
	inner := 28
	if f.payload-48 >= ethernet && f.frame[f.payload-48]>>4 == 6 {
		inner = 48
	}
	copy(want[f.payload-2:], f.frame[f.payload-2:f.payload+signature.Bytes])
	if string(f.frame) != string(want) {
		t.Fatalf("stream word %#x: a frame is\n%x, want\n%x", f.Stream, f.frame, want)
	}
	if fault := udpFault(f.frame[f.payload-inner:]); fault != 0 {
		t.Fatalf("stream word %#x: the inner UDP checksum is off by %#x in\n%x", f.Stream, fault, f.frame)
	}
	if fault := udpFault(f.frame[ethernet:]); fault != 0 {
		t.Fatalf("stream word %#x: the outer UDP checksum is off by %#x in\n%x", f.Stream, fault, f.frame)
	}
}

// Both directions at once and every size: each packet sent is counted where it
// arrives, and all are right.
func TestMixtureEndToEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	for _, c := range mixtureCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			b := newBench(t, c.shapes(t)...)
			for _, q := range []traffic.Sequence{randomSequence(2, len(c.Shapes), 1000), randomSequence(1, len(c.Shapes), 7), traffic.Only(1, 2)} {
				b.mixed(t, q)
			}
		})
	}
}

func (b *bench) mixed(t *testing.T, q traffic.Sequence) {
	t.Helper()
	s := traffic.Schedule{PPS: 20_000, Duration: 300 * time.Millisecond, Warmup: 30 * time.Millisecond,
		Quiet: 30 * time.Millisecond, Sequence: q}
	before := b.lost(t)
	o, err := b.engine.Run(t.Context(), s, traffic.Marks{Quiet: func() { before = b.lost(t) }})
	if err != nil {
		t.Fatal(err)
	}
	lost := b.lost(t) - before
	b.balanced(t, o, lost)
	var want [2]traffic.FlowOutcome
	for n := range o.Sent {
		slot := q.At(n)
		f := b.engine.sources[0].flows[slot.Flow]
		want[slot.Flow].Sent++
		want[slot.Flow].SentBytes += uint64(f.FrameBytes(f.Streams[0], int(slot.Shape)))
		want[slot.Flow].ReceivedBytes += uint64(f.RxFrameBytes(f.Streams[0], int(slot.Shape)))
	}
	for i, f := range o.Flows {
		if f.Sent != want[i].Sent || f.SentBytes != want[i].SentBytes {
			t.Errorf("flow %d: %d packets, %d bytes sent, want %d, %d", i, f.Sent, f.SentBytes, want[i].Sent, want[i].SentBytes)
		}
		if lost == 0 && f.ReceivedBytes != want[i].ReceivedBytes {
			t.Errorf("flow %d: %d bytes received, want %d", i, f.ReceivedBytes, want[i].ReceivedBytes)
		}
		var inRuns uint64
		for _, r := range f.LossRuns {
			inRuns += r.Length * r.Count
		}
		if inRuns != f.Sent-f.Received {
			t.Errorf("flow %d: runs of %d lost packets, %d were lost", i, inRuns, f.Sent-f.Received)
		}
	}
	if o.Sent > o.Intended || o.Sent < o.Intended && o.Stalls == 0 { // a generator that gets no CPU is cut off
		t.Errorf("sent %d of %d", o.Sent, o.Intended)
	}
}
