package xdp

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// dealtTest is two flows of some sessions, sent by one source or several, and what arrives.
type dealtTest struct {
	paths   []Path
	arrived []*capture
}

func newDealtTest(t *testing.T) *dealtTest {
	tb := sitetest.Build(t)
	d := &dealtTest{arrived: []*capture{openCapture(t, tb.Links().UPFN3), openCapture(t, tb.Links().UPFN6)}}
	for _, way := range directions {
		f := testFlow(way, 100, traffic.Expect{})
		f.Shapes = append(f.Shapes, traffic.Shape{Payload: 120, SourcePort: 7, DestinationPort: 8})
		for len(f.Streams) < 7 {
			f.Streams = append(f.Streams, f.Streams[0])
		}
		send := tb.Links().GNB
		if way == record.Downlink {
			send = tb.Links().DNN6
		}
		d.paths = append(d.paths, Path{Flow: f, Send: send})
	}
	return d
}

// packet is one of a trial: when it was due, ns after the first slot, and what it was.
type packet struct {
	due, seq             uint64
	flow, shape, session int
}

// send sends a schedule from the sources of a share, and gives what arrived and what they report.
func (d *dealtTest) send(t *testing.T, s traffic.Schedule, share traffic.Share) ([]packet, traffic.Outcome) {
	t.Helper()
	g := traffic.Group{Sinks: make([]traffic.Sink, len(d.paths))}
	for i := range share.Of {
		share.Source = i
		source, err := newSource(Config{Paths: d.paths}, core{cpu: i % runtime.NumCPU(), share: share})
		if err != nil {
			t.Fatal(err)
		}
		g.Sources = append(g.Sources, source)
	}
	defer g.Close()
	for range 10 {
		o, err := g.Run(t.Context(), s, traffic.Marks{})
		if err != nil {
			t.Fatal(err)
		}
		list := d.packets(t, g.Sources[0].(*source))
		if o.Sent == o.Intended { // else the sources got no CPU and were cut off
			return list, o
		}
	}
	t.Fatalf("%d sources did not send everything in ten tries: is the machine that busy?", share.Of)
	return nil, traffic.Outcome{}
}

// packets are those that arrived, in the order of the schedule.
func (d *dealtTest) packets(t *testing.T, s *source) (list []packet) {
	first, _ := s.Span()
	for flow, c := range d.arrived {
		for _, f := range trialsFrames(t, c, d.paths[flow].Flow, s.control.Trial) {
			list = append(list, packet{f.Intended - first, f.Seq, flow, int(f.Stream >> 20), int(f.Stream & 0xfffff)})
		}
	}
	slices.SortFunc(list, func(a, b packet) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.flow, b.flow), cmp.Compare(a.session, b.session), cmp.Compare(a.seq, b.seq))
	})
	return list
}

// TestSourcesSendOneSchedule: what several sources send is packet for packet what one
// sends: due at the same ns, of the same sessions and shapes, with the same numbers.
func TestSourcesSendOneSchedule(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	d := newDealtTest(t)
	base := traffic.Schedule{PPS: 5000, Duration: 100 * time.Millisecond, Warmup: 10 * time.Millisecond, Quiet: 10 * time.Millisecond}
	gaps, err := traffic.Gaps([]time.Duration{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		story    string
		arrivals traffic.Arrivals
		sequence traffic.Sequence
		sources  int
		lanes    []int
		first    []int
	}{
		{"constant", nil, nil, 2, nil, nil},
		{"constant, more sources than CPUs", nil, traffic.Only(1, 0), 3, nil, nil},
		{"bursts", traffic.Bursts(16), nil, 2, nil, nil},
		{"a recording", gaps, randomSequence(1, 2, 11), 2, nil, nil},
		{"both directions", nil, randomSequence(2, 2, 101), 2, nil, nil},
		{"both directions, Poisson", traffic.Poisson(8), randomSequence(2, 2, 10), 3, nil, nil},
		{"in three lanes", nil, randomSequence(2, 2, 9), 2, []int{3, 2}, nil},
		{"one source has no lane", nil, nil, 2, []int{1}, nil},
		{"each direction from sources of its own", nil, randomSequence(2, 2, 13), 3, []int{2, 1}, []int{0, 2}},
		{"downlink alone, from the last source", nil, traffic.Only(1, 0), 3, []int{2, 1}, []int{0, 2}},
	} {
		t.Run(c.story, func(t *testing.T) {
			s := base
			s.Arrivals, s.Sequence = c.arrivals, c.sequence
			want, one := d.send(t, s, traffic.Share{Of: 1})
			got, several := d.send(t, s, traffic.Share{Of: c.sources, Lanes: c.lanes, First: c.first})
			if len(want) != 500 || !slices.Equal(got, want) {
				t.Fatalf("%d packets of one source, %d of %d: %s", len(want), len(got), c.sources, firstDifference(got, want))
			}
			sameCounts(t, &several, &one)
		})
	}
}

func firstDifference(got, want []packet) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("packet %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	return "one is longer"
}

// sameCounts compares what sources report, but for when they got their CPUs.
func sameCounts(t *testing.T, got, want *traffic.Outcome) {
	t.Helper()
	if got.Intended != want.Intended || got.Sent != want.Sent || got.Lateness.Count != want.Lateness.Count {
		t.Errorf("%d intended, %d sent, %d values of lateness; want %d, %d, %d", got.Intended, got.Sent, got.Lateness.Count,
			want.Intended, want.Sent, want.Lateness.Count)
	}
	for i := range want.Flows {
		g, w := &got.Flows[i], &want.Flows[i]
		if g.Sent != w.Sent || g.SentBytes != w.SentBytes || !slices.Equal(g.SentBySession, w.SentBySession) {
			t.Errorf("flow %d: %d sent in %d octets, by session %v; want %d, %d, %v", i, g.Sent, g.SentBytes,
				g.SentBySession, w.Sent, w.SentBytes, w.SentBySession)
		}
	}
}
