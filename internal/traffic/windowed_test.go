package traffic

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/traffic/window"
)

// folds are the verdicts that a part was given.
type folds struct {
	on         bool
	cannot     bool
	incomplete func(id uint64) bool
	ids        []uint64
	kept       []bool
}

func (f *folds) Windows(on bool) (bool, error) { f.on = on; return !f.cannot, nil }
func (f *folds) Complete(id uint64) bool       { return f.incomplete == nil || !f.incomplete(id) }
func (f *folds) Fold(id uint64, keep bool)     { f.ids, f.kept = append(f.ids, id), append(f.kept, keep) }
func (f *folds) verdicts() string              { return fmt.Sprint(f.ids, f.kept) }
func (f *folds) counted(kept bool) (n uint64) {
	for _, k := range f.kept {
		if k == kept {
			n++
		}
	}
	return n
}

// windowedSource sends a packet in each window that its time touches, of a session.
type windowedSource struct {
	fakeSource
	folds
	delay time.Duration // before its first slot
	mu    sync.Mutex
	first uint64
	lasts time.Duration
	stops context.Context // nil: it goes on to its end
}

func (s *windowedSource) Prepare(schedule Schedule, trial uint16) error {
	s.first, s.lasts, s.trial = 0, schedule.Duration, trial
	return nil
}

func (s *windowedSource) Send(_ context.Context, m Marks) error {
	m.Quiet()
	s.mu.Lock()
	s.first = threads.Monotonic() + uint64(s.delay)
	s.mu.Unlock()
	m.Start()
	for {
		_, end := s.Span()
		if threads.Monotonic() >= end {
			return nil
		}
		if s.stops != nil && s.stops.Err() != nil {
			return s.stops.Err()
		}
		time.Sleep(time.Millisecond) // it sends
	}
}

func (s *windowedSource) Span() (first, end uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == 0 {
		return 0, 0
	}
	return s.first, s.first + uint64(s.lasts)
}

func (s *windowedSource) Extend(d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lasts = max(s.lasts, d)
	return nil
}

// Outcome is that of the whole trial: a packet in each window that was folded.
func (s *windowedSource) Outcome() (Outcome, error) { return s.sent(uint64(len(s.ids))), nil }
func (s *windowedSource) Counted() (kept, excluded Outcome) {
	return s.sent(s.counted(true)), s.sent(s.counted(false))
}

func (s *windowedSource) sent(n uint64) Outcome {
	o := Outcome{Intended: 2 * n, Sent: n, Skipped: n, Flows: make([]FlowOutcome, 1)}
	o.Sending = Span{s.first, s.first + uint64(s.lasts)}
	o.Flows[0] = FlowOutcome{Sent: n, SentBySession: make([]uint64, s.session+1)}
	o.Flows[0].SentBySession[s.session] = n
	return o
}

type windowedSink struct {
	fakeSink
	folds
}

func (k *windowedSink) Begin(uint16) error { return nil }
func (k *windowedSink) Received() uint64   { return 0 }

func (k *windowedSink) Outcome([]uint64) (FlowOutcome, error) {
	return FlowOutcome{Received: 2 * uint64(len(k.ids)), Duplicates: 5}, nil
}
func (k *windowedSink) Counted() (kept, excluded FlowOutcome) {
	return k.received(true), k.received(false)
}

func (k *windowedSink) received(kept bool) FlowOutcome {
	f := FlowOutcome{Received: 2 * k.counted(kept)}
	for range f.Received {
		f.Latency.Add(1000)
	}
	return f
}

// TestOneVerdictForAll: each window of the trial is decided on once, in order, and all
// sources and sinks are given the same verdict; an application has no part in it.
func TestOneVerdictForAll(t *testing.T) {
	l := &link{counts: map[uint16]uint64{}}
	early, late, sink := &windowedSource{}, &windowedSource{delay: 30 * time.Millisecond, fakeSource: fakeSource{session: 1}}, &windowedSink{}
	app := &fakeSource{link: l, flow: 1, n: 7, application: true}
	sink.incomplete = func(id uint64) bool { return id%8 == 0 }
	g := Group{Sources: []Source{early, late, app}, Sinks: []Sink{sink, nil}}
	asked := map[uint64]bool{}
	o, err := g.Run(t.Context(), Schedule{Duration: 200 * time.Millisecond, Excluded: func(from, to uint64) bool {
		if to-from != window.Width || from%window.Width != 0 {
			t.Errorf("asked about a window from %d to %d", from, to)
		}
		asked[window.ID(from)] = true
		return window.ID(from)%2 == 1
	}}, Marks{})
	if err != nil {
		t.Fatal(err)
	}
	if early.verdicts() != late.verdicts() || early.verdicts() != sink.verdicts() {
		t.Errorf("the verdicts differ:\n%s\n%s\n%s", early.verdicts(), late.verdicts(), sink.verdicts())
	}
	if !slices.IsSorted(early.ids) || len(early.ids) != len(asked) || len(slices.Compact(slices.Clone(early.ids))) != len(early.ids) {
		t.Errorf("%d windows were asked about, these were folded: %v", len(asked), early.ids)
	}
	for i, id := range early.ids {
		if want := id%2 == 0 && id%8 != 0; early.kept[i] != want {
			t.Errorf("window %d was kept: %v, want %v", id, early.kept[i], want)
		}
	}
	first, end := early.first, late.first+uint64(late.lasts)
	if early.ids[0] != window.ID(first) || early.ids[len(early.ids)-1] != window.ID(end-1) {
		t.Errorf("windows %d to %d were folded, the trial has %d to %d", early.ids[0], early.ids[len(early.ids)-1],
			window.ID(first), window.ID(end-1))
	}
	all, kept, x := uint64(len(early.ids)), early.counted(true), &o.Excluded
	if o.Sent != 2*kept+7 || x.Sent != 2*(all-kept) || o.Skipped != 2*kept || x.Skipped != 2*(all-kept) || x.Intended != 4*(all-kept) {
		t.Errorf("%d windows, %d kept: %d sent, %d skipped; excluded %+v", all, kept, o.Sent, o.Skipped, x)
	}
	f := &o.Flows[0]
	if f.Received != 2*kept || x.Received[0] != 2*(all-kept) || f.Duplicates != 5 || f.SentBySession[1] != all ||
		x.Of != all || x.Windows != all-kept {
		t.Errorf("%d windows, %d kept: received %d, sent by session %v; excluded %+v", all, kept, f.Received, f.SentBySession, x)
	}
	if o.Flows[1].Sent != 7 || o.Flows[1].Received != 6 || x.Received[1] != 0 {
		t.Errorf("of the application %d of %d received, %d excluded", o.Flows[1].Received, o.Flows[1].Sent, x.Received[1])
	}
	if seconds := float64(end-first)/1e9 - o.SendSeconds; seconds < x.Seconds-0.01 || seconds > x.Seconds+0.01 {
		t.Errorf("sending took %.3f s of %.3f, %.3f are excluded", o.SendSeconds, float64(end-first)/1e9, x.Seconds)
	}
}

// TestExtension: all sources go on until as much is undisturbed as was asked for, or for
// as long as they may.
func TestExtension(t *testing.T) {
	for _, c := range []struct{ most, want time.Duration }{{2 * time.Second, 400 * time.Millisecond},
		{300 * time.Millisecond, 300 * time.Millisecond}, {0, 200 * time.Millisecond}} {
		a, b := &windowedSource{}, &windowedSource{}
		g := Group{Sources: []Source{a, b}, Sinks: []Sink{&windowedSink{}}}
		_, err := g.Run(t.Context(), Schedule{Duration: 200 * time.Millisecond, Most: c.most, Excluded: func(from, _ uint64) bool {
			return window.ID(from)%2 == 1
		}}, Marks{})
		if err != nil {
			t.Fatal(err)
		}
		if c.most <= c.want && a.lasts != c.want || a.lasts < c.want*6/10 || a.lasts > c.want*2 || b.lasts != a.lasts {
			t.Errorf("at most %v: the sources took %v and %v, want %v", c.most, a.lasts, b.lasts, c.want)
		}
	}
}

// TestLess: only the excluded windows in which something took place shorten it.
func TestLess(t *testing.T) {
	const w = window.Width
	v := verdicts{}
	for _, id := range []uint64{2, 3, 7} {
		v.leaveOut(window.Bounds(id))
	}
	if len(v.out) != 2 {
		t.Errorf("excluded %v, want windows 2 and 3 in one", v.out)
	}
	for _, c := range []struct{ first, took, want float64 }{
		{0, 10, 7}, {0, 2, 2}, {2, 2, 0}, {2.5, 1, 0}, {3.5, 2, 1.5}, {4, 3, 3}, {8, 5, 5}, {7.25, 1, 0.25},
	} {
		if got := v.less(uint64(c.first*w), c.took*w/1e9) * 1e9 / w; got < c.want-1e-6 || got > c.want+1e-6 {
			t.Errorf("from %v windows on, %v: %v without those excluded, want %v", c.first, c.took, got, c.want)
		}
	}
}

// TestVoid: where too little is undisturbed everything counts, with all distributions.
func TestVoid(t *testing.T) {
	source, sink := &windowedSource{}, &windowedSink{}
	g := Group{Sources: []Source{source}, Sinks: []Sink{sink}}
	d := 100 * time.Millisecond
	o, err := g.Run(t.Context(),
		Schedule{Duration: d, Least: d * 9 / 10,
			Excluded: func(from, _ uint64) bool { return window.ID(from)%2 == 1 }}, Marks{})
	if err != nil {
		t.Fatal(err)
	}
	all, f := uint64(len(source.ids)), &o.Flows[0]
	if x := &o.Excluded; !x.Void || x.Windows != source.counted(false) || x.Of != all || x.Sent != 0 {
		t.Errorf("of %d windows %d excluded: %+v", all, source.counted(false), *x)
	}
	if o.Sent != all || f.Received != 2*all || f.Latency.Count != 2*all {
		t.Errorf("%d windows: %d sent, %d received, %d latencies", all, o.Sent, f.Received, f.Latency.Count)
	}
}

// TestNoWindows: nothing is counted by windows where nobody asks for it, for a burst,
// and where a part cannot.
func TestNoWindows(t *testing.T) {
	none := func(_, _ uint64) bool { return false }
	for story, c := range map[string]struct {
		s    Schedule
		sink Sink
	}{
		"nobody asks":       {Schedule{}, &windowedSink{}},
		"burst":             {Schedule{Excluded: none, Burst: true}, &windowedSink{}},
		"a sink cannot now": {Schedule{Excluded: none}, &windowedSink{folds: folds{cannot: true}}},
		"a sink cannot":     {Schedule{Excluded: none}, &fakeSink{link: &link{counts: map[uint16]uint64{}}}},
	} {
		source := &windowedSource{}
		g := Group{Sources: []Source{source}, Sinks: []Sink{c.sink}}
		c.s.Duration = 10 * time.Millisecond
		o, err := g.Run(t.Context(), c.s, Marks{})
		if err != nil || o.Excluded.Of != 0 || source.on || len(source.ids) > 0 {
			t.Errorf("%s: %v, windows %v, excluded %+v", story, err, source.on, o.Excluded)
		}
		if k, is := c.sink.(*windowedSink); is && k.on {
			t.Errorf("%s: the sink counts by windows", story)
		}
	}
}

// TestWindowsOfATrialThatIsStopped: those until then are decided on.
func TestWindowsOfATrialThatIsStopped(t *testing.T) {
	source, sink := &windowedSource{}, &windowedSink{}
	g := Group{Sources: []Source{source, &fakeSource{link: &link{counts: map[uint16]uint64{}}, n: 1}}, Sinks: []Sink{sink}}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	source.stops = ctx
	o, err := g.Run(ctx, Schedule{Duration: time.Hour, Excluded: func(_, _ uint64) bool { return false }}, Marks{})
	if err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("the error is %v, want the context's", err)
	}
	if o.Excluded.Of < 10 || o.Excluded.Of > 2000 || o.Excluded.Windows > 0 {
		t.Errorf("of an hour stopped after 50 ms: %+v", o.Excluded)
	}
}
