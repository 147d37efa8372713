package xdp

import (
	"errors"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// TestStamps: the program that asks for the NIC's times runs at a veth, whose driver has the question
// and, of live frames, no answer: it counts as the other does, and each packet as one without.
func TestStamps(t *testing.T) {
	tb := sitetest.Build(t)
	l := tb.Links()
	f := testFlow(record.Uplink, 200, traffic.Expect{Encapsulated: true, Unchanged: true})
	f.Expect.MAC = f.Destination
	source, err := newSource(Config{Paths: []Path{{Flow: f, Send: l.GNB}}}, core{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSink(f, nil, l.UPFN3)
	if err != nil {
		t.Fatal(err)
	}
	g := traffic.Group{Sources: []traffic.Source{source}, Sinks: []traffic.Sink{s}, Settle: 20 * time.Millisecond}
	defer g.Close()
	readings := 0
	clock := func() (int64, uint64, error) {
		readings++
		return 5_000, uint64(40 * readings), nil
	}
	if err := s.openStamps(clock); err != nil {
		t.Fatal(err)
	}
	for _, excluded := range []func(from, to uint64) bool{nil, func(_, _ uint64) bool { return false }} {
		o, err := g.Run(t.Context(), traffic.Schedule{PPS: 5000, Duration: 200 * time.Millisecond, Excluded: excluded}, traffic.Marks{})
		if err != nil {
			t.Fatal(err)
		}
		x := &o.Flows[0]
		received := x.Received
		if len(o.Excluded.Received) > 0 {
			received += o.Excluded.Received[0]
		}
		if received == 0 || len(x.Wrong) > 0 || x.Latency.Count != x.Received {
			t.Errorf("%d received, wrong %v, %d latencies", received, x.Wrong, x.Latency.Count)
		}
		if k := x.Stamps; k.Without != received || k.With+k.Early != 0 || k.Latency.Count != 0 || k.AheadNS != 5_000 || k.ErrorNS == 0 {
			t.Errorf("of %d received %d have no time of the NIC, %d have one, %d an early one; the clock is %d "+
				"ahead, within %d", received, k.Without, k.With, k.Early, k.AheadNS, k.ErrorNS)
		}
	}
	s.stamps.clock = func() (int64, uint64, error) { return 0, 0, errors.New("no such device") }
	o, err := g.Run(t.Context(), traffic.Schedule{PPS: 5000, Duration: 200 * time.Millisecond}, traffic.Marks{})
	if err != nil {
		t.Fatal(err)
	}
	if x := &o.Flows[0]; x.Received == 0 || x.Stamps.Why == "" || x.Stamps.With+x.Stamps.Without != 0 {
		t.Errorf("with a clock that cannot be read %d are received, the times are %+v", x.Received, x.Stamps)
	}
}
