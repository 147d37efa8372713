package xdp

import (
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/receive"
)

// Streams with QFIs of their own: each packet has its stream's, alone and in a mixture.
func TestQFIs(t *testing.T) {
	b := newBench(t)
	c := Config{CPUs: []int{0}}
	for _, d := range directions {
		f := testFlow(d, 200, traffic.Expect{Encapsulated: d == record.Uplink, Unchanged: true})
		f.Streams[0].QFI, f.Streams[2].QFI = 5, 63 // the second has the flow's
		send, receive := b.ports(d)
		c.Paths = append(c.Paths, Path{Flow: f, Send: send, Receive: receive})
	}
	if err := b.engine.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.engine, err = Open(c); err != nil {
		t.Fatal(err)
	}
	for _, q := range []traffic.Sequence{traffic.Only(0, 0), traffic.Only(1, 0), {{Flow: 0}, {Flow: 1}}} {
		o, err := b.engine.Run(t.Context(), traffic.Schedule{PPS: 3000, Duration: 200 * time.Millisecond, Sequence: q}, traffic.Marks{})
		if err != nil {
			t.Fatal(err)
		}
		b.balanced(t, o, o.Sent-o.Flows[0].Received-o.Flows[1].Received)
		for i, f := range o.Flows {
			received, sessions := uint64(0), 0
			for _, n := range f.ReceivedBySession {
				if received += n; n > 0 {
					sessions++
				}
			}
			if received != f.Received || f.Sent > 0 && sessions != 3 {
				t.Errorf("flow %d: %v of %d by session, sent %v", i, f.ReceivedBySession, f.Received, f.SentBySession)
			}
		}
	}
}

const uplinkSignatureAt = 86

// A packet of one stream with the QFI of another is wrong, in both receivers.
func TestQFIOfAnotherStream(t *testing.T) {
	f := testFlow(record.Uplink, 200, traffic.Expect{Encapsulated: true, Unchanged: true})
	f.Streams[0].QFI, f.Streams[1].QFI = 5, 6
	ofAnotherStream(t, f, "QFI", func(s *traffic.Stream, k int) { s.QFI = []uint8{1, 5, 6}[k] })
}

// ofAnotherStream sends three packets of each of three streams, changed in turn: one is as it has
// to be, the others are wrong at a place, for the sink and for the receiver of packet sockets.
func ofAnotherStream(t *testing.T, f *traffic.Flow, place record.Place, change func(s *traffic.Stream, k int)) {
	t.Helper()
	f.Destination = f.Expect.MAC
	s, twin := openTestSink(t, f), receive.New(f)
	if err := s.Begin(testTrial); err != nil {
		t.Fatal(err)
	}
	twin.Begin(testTrial)
	for i := range f.Streams {
		for k := range 3 {
			sent := f.Streams[i]
			change(&sent, k)
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
		if x.Received != 3 || len(x.Wrong) != 1 || x.Wrong[0].Place != place || x.Wrong[0].Packets != 6 ||
			!slices.Equal(x.ReceivedBySession, []uint64{1, 1, 1}) {
			t.Errorf("received %d, %v by session, wrong %v", x.Received, x.ReceivedBySession, x.Wrong)
		}
	}
}
