package trial

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// every is the least distance of two points of a series, and how often the
// observer hears of the trial.
const every = 100 * time.Millisecond

// pointsMax bounds a series: of a long trial, points are more distant.
const pointsMax = 2000

// step is the distance of the points of a trial, a multiple of every.
func step(trial time.Duration) time.Duration {
	return every * max(1, (trial+pointsMax*every-1)/(pointsMax*every))
}

// recorder follows a running trial: it keeps a point each step and passes the
// counts on to the observer.
type recorder struct {
	engine   traffic.Engine
	subject  telemetry.Subject
	observer Observer
	begun    chan time.Time
	done     chan struct{}
	ended    chan struct{}
	once     sync.Once
	every    time.Duration          // how often the observer hears of it
	step     time.Duration          // distance of the points, a multiple of every
	memory   func() (uint64, error) // nil: not followed
	points   []record.Point
	keep     func([]record.Point) // nil: the points are kept at the end
}

// forever is a step without a point.
const forever = 1000 * time.Hour

// follow begins to follow a trial, of which t is known before it; points are kept from start on.
func (dp *Deployment) follow(spec Spec, t record.Trial) *recorder {
	r := &recorder{engine: dp.engine, subject: dp.subject, observer: dp.Observer, every: every, step: step(spec.Duration),
		begun: make(chan time.Time, 1), done: make(chan struct{}), ended: make(chan struct{})}
	if spec.Soak != nil {
		r.memory = func() (uint64, error) { return dp.site.Memory(dp.subject.Processes()) }
	}
	if spec.Step > 0 {
		r.every, r.step = spec.Step, spec.Step
	}
	if spec.Unwatched {
		r.step = forever
	}
	if spec.Keep != nil {
		r.keep = func(points []record.Point) { spec.Keep(underWay(t, spec, points)) }
	}
	go r.run()
	return r
}

// start marks the first slot.
func (r *recorder) start() { r.begun <- time.Now() }

// stop ends the following and gives the points; it may be called again.
func (r *recorder) stop() []record.Point {
	r.once.Do(func() { close(r.done) })
	<-r.ended
	return r.points
}

// moment is one reading.
type moment struct {
	at        time.Time
	sent, got uint64
	latency   traffic.Histogram
	sample    telemetry.Sample
	memory    uint64
}

func (r *recorder) run() {
	defer close(r.ended)
	var start time.Time
	select {
	case start = <-r.begun:
	case <-r.done:
		return
	}
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	before := &moment{at: start}
	if r.step < forever {
		before.sample, _ = telemetry.Take(r.subject) // a missing reading is a missing point
	}
	kept := start
	for n := time.Duration(1); ; n++ {
		if r.keep != nil && time.Since(kept) >= KeepEvery {
			kept = time.Now()
			r.keep(slices.Clone(r.points))
		}
		select {
		case <-r.done:
			return
		case <-tick.C:
		}
		if n*r.every%r.step != 0 {
			sent, got := r.engine.Live()
			r.observer.Live(time.Since(start), sent, got)
			continue
		}
		if time.Since(before.at) < r.step/2 {
			continue // late ticks come in a row: one point for both
		}
		now, ok := r.read()
		if !ok {
			continue
		}
		r.points = append(r.points, between(start, before, now))
		r.observer.Point(r.points[len(r.points)-1])
		r.observer.Live(now.at.Sub(start), now.sent, now.got)
		before = now
	}
}

func (r *recorder) read() (*moment, bool) {
	m := &moment{at: time.Now()}
	m.sent, m.got = r.engine.Live()
	if r.engine.LiveLatency(&m.latency) != nil {
		return nil, false
	}
	var err error
	m.sample, err = telemetry.Take(r.subject)
	if err == nil && r.memory != nil {
		m.memory, err = r.memory()
	}
	return m, err == nil
}

func between(start time.Time, a, b *moment) record.Point {
	wall := b.at.Sub(a.at).Seconds()
	p := record.Point{
		T: b.at.Sub(start).Seconds(), TxPPS: float64(b.sent-a.sent) / wall, RxPPS: float64(b.got-a.got) / wall,
		DUTCores:    telemetry.Between(a.sample, b.sample).Cores,
		MemoryBytes: b.memory,
	}
	if l := b.latency.Since(&a.latency); l.Count > 0 {
		p.P50, p.P99 = l.Quantile(0.5), l.Quantile(0.99)
	}
	return p
}

// underWay is a trial that has not ended: its series so far, and no verdict.
func underWay(t record.Trial, spec Spec, points []record.Point) record.Trial {
	t.Series, t.Soak = points, spec.Soak
	t.DurationS = 0
	if n := len(points); n > 0 {
		t.DurationS = points[n-1].T
	}
	t.Reasons = []string{fmt.Sprintf("kept after %.4g s of %.4g s: the run was ended before the trial was judged",
		t.DurationS, spec.Duration.Seconds())}
	return t
}
