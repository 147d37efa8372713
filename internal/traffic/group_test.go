package traffic

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

// link carries packets from fake sources to fake sinks, and keeps what happened.
type link struct {
	mu     sync.Mutex
	log    []string
	counts map[uint16]uint64 // by trial
}

func (l *link) note(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, what)
}

// fakeSource sends n packets of a flow's session; application says that it knows itself
// what arrives.
type fakeSource struct {
	Whole
	link        *link
	flow        int
	session     int
	n           uint64
	application bool
	fails       error // in the warm-up
	waits       bool  // until its context ends
	trial       uint16
	closed      bool
}

func (s *fakeSource) Prepare(_ Schedule, trial uint16) error { s.trial = trial; return nil }
func (s *fakeSource) Sent() uint64                           { return s.n }
func (s *fakeSource) Close() error                           { s.closed = true; return nil }
func (*fakeSource) Share() Share                             { return Share{} }
func (*fakeSource) Span() (first, end uint64)                { return 0, 0 }
func (*fakeSource) Extend(time.Duration) error               { return nil }
func (*fakeSource) Counted() (kept, excluded Outcome)        { return kept, excluded }

func (s *fakeSource) Send(ctx context.Context, m Marks) error {
	s.link.note("warm-up")
	if s.fails != nil {
		return s.fails
	}
	m.Quiet()
	m.Start()
	if s.waits {
		<-ctx.Done()
		return ctx.Err()
	}
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	if !s.application {
		s.link.counts[s.trial] += s.n
	}
	s.link.log = append(s.link.log, "trial")
	return nil
}

func (s *fakeSource) Outcome() (Outcome, error) {
	o := Outcome{Sent: s.n, Flows: make([]FlowOutcome, s.flow+1)}
	f := &o.Flows[s.flow]
	f.Sent, f.SentBySession = s.n, make([]uint64, s.session+1)
	f.SentBySession[s.session] = s.n
	if s.application {
		f.Received = s.n - 1
	}
	return o, nil
}

type fakeSink struct {
	WholeSink
	link  *link
	trial uint16
	told  []uint64
}

func (k *fakeSink) Begin(trial uint16) error { k.trial = trial; k.link.note("begin"); return nil }
func (k *fakeSink) Close() error             { return nil }
func (k *fakeSink) Received() uint64         { return k.link.counts[k.trial] }

func (k *fakeSink) AddLatency(h *Histogram) error { h.Add(5); return nil }

func (k *fakeSink) Outcome(sent []uint64) (FlowOutcome, error) {
	k.told = sent
	return FlowOutcome{Received: k.Received()}, nil
}

// TestGroup: two sending cores and an application are one engine.
func TestGroup(t *testing.T) {
	l := &link{counts: map[uint16]uint64{}}
	sink := &fakeSink{link: l}
	g := Group{Sources: []Source{
		&fakeSource{link: l, session: 0, n: 10}, &fakeSource{link: l, session: 1, n: 20},
		&fakeSource{link: l, flow: 1, n: 7, application: true},
	}, Sinks: []Sink{sink, nil}}
	for trial := range uint16(3) {
		l.log = nil
		o, err := g.Run(t.Context(), Schedule{}, Marks{
			Quiet: func() { l.note("quiet") }, Start: func() { l.note("start") }, End: func() { l.note("end") },
		})
		if err != nil {
			t.Fatal(err)
		}
		if o.Sent != 37 || o.Flows[0].Sent != 30 || o.Flows[0].Received != 30 || o.Flows[1].Received != 6 {
			t.Errorf("sent %d; %d of %d and %d of %d received", o.Sent, o.Flows[0].Received, o.Flows[0].Sent, o.Flows[1].Received, o.Flows[1].Sent)
		}
		if len(sink.told) != 2 || sink.told[0] != 10 || sink.told[1] != 20 || sink.trial != 2*(trial+1) {
			t.Errorf("trial %d: the sink expects %v", sink.trial, sink.told)
		}
		const want = "begin warm-up warm-up warm-up begin quiet start trial trial trial end"
		if got := strings.Join(l.log, " "); got != want {
			t.Errorf("%s; want\n%s", got, want)
		}
		if sent, received := g.Live(); sent != 37 || received != 30 {
			t.Errorf("live: %d sent, %d received", sent, received)
		}
	}
	var h Histogram
	if err := g.LiveLatency(&h); err != nil || h.Count != 1 {
		t.Errorf("%d latencies of one sink, %v", h.Count, err)
	}
}

// TestGroupStopsTogether: when a source fails the others do not wait for it.
func TestGroupStopsTogether(t *testing.T) {
	failure := errors.New("no such port")
	l := &link{counts: map[uint16]uint64{}}
	g := Group{Sources: []Source{&fakeSource{link: l, waits: true}, &fakeSource{link: l, fails: failure}}, Sinks: []Sink{&fakeSink{link: l}}}
	ended := make(chan error, 1)
	go func() {
		_, err := g.Run(context.Background(), Schedule{}, Marks{})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, failure) || errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v, want %v alone", err, failure)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the sources wait for each other")
	}
}

// TestGroupIsCancelled: the error is the context's, and there is an outcome.
func TestGroupIsCancelled(t *testing.T) {
	l := &link{counts: map[uint16]uint64{}}
	g := Group{Sources: []Source{&fakeSource{link: l, n: 3, waits: true}}, Sinks: []Sink{&fakeSink{link: l}}}
	ctx, cancel := context.WithCancel(t.Context())
	o, err := g.Run(ctx, Schedule{}, Marks{Start: cancel})
	if !errors.Is(err, context.Canceled) || o.Sent != 3 {
		t.Errorf("sent %d, %v", o.Sent, err)
	}
}

// TestQuietOfNobody: when all sources fail in the warm-up there is no silence.
func TestQuietOfNobody(t *testing.T) {
	l := &link{counts: map[uint16]uint64{}}
	source := &fakeSource{link: l, fails: errors.New("no such port")}
	g := Group{Sources: []Source{source}, Sinks: []Sink{&fakeSink{link: l}}}
	if _, err := g.Run(t.Context(), Schedule{}, Marks{Quiet: func() { t.Error("quiet was called") }}); err == nil {
		t.Error("no error")
	}
	if g.Close(); !source.closed {
		t.Error("the source is not closed")
	}
}
