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
	readings []Reading
	points   []record.Point       // of the readings
	keep     func([]record.Point) // nil: the points are kept at the end
}

// forever is a step without a point.
const forever = 1000 * time.Hour

// follow begins to follow a trial, of which t is known before it; points are kept from start on.
func (dp *Deployment) follow(spec Spec, t record.Trial) *recorder {
	r := &recorder{engine: dp.engine, subject: dp.Subject, observer: dp.cfg.Observer, every: every, step: step(spec.Duration),
		begun: make(chan time.Time, 1), done: make(chan struct{}), ended: make(chan struct{})}
	if spec.Soak != nil {
		r.memory = dp.Memory
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

// stop ends the following and gives what was read; it may be called again.
func (r *recorder) stop() []Reading {
	r.once.Do(func() { close(r.done) })
	<-r.ended
	return r.readings
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
		reading := between(start, before, now)
		r.readings, r.points = append(r.readings, reading), append(r.points, reading.point())
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

// Reading is what was read of a trial between two moments, which a point of its series is made of.
type Reading struct {
	AtNS        int64              `json:"at_ns"`     // of the second moment, from the first slot
	LengthNS    int64              `json:"length_ns"` // between the two
	Sent        uint64             `json:"sent"`
	Received    uint64             `json:"received"`
	DUTCores    float64            `json:"dut_cores"`
	MemoryBytes uint64             `json:"memory_bytes,omitempty"`
	Latency     *traffic.Histogram `json:"-"`
}

func between(start time.Time, a, b *moment) Reading {
	return Reading{
		AtNS: int64(b.at.Sub(start)), LengthNS: int64(b.at.Sub(a.at)), Sent: b.sent - a.sent, Received: b.got - a.got,
		DUTCores: telemetry.Between(a.sample, b.sample).Cores, MemoryBytes: b.memory, Latency: b.latency.Since(&a.latency),
	}
}

// point is the point of the series.
func (r Reading) point() record.Point {
	wall := time.Duration(r.LengthNS).Seconds()
	p := record.Point{
		T: time.Duration(r.AtNS).Seconds(), TxPPS: float64(r.Sent) / wall, RxPPS: float64(r.Received) / wall,
		DUTCores: r.DUTCores, MemoryBytes: r.MemoryBytes,
	}
	if l := r.Latency; l != nil && l.Count > 0 {
		p.P50, p.P99 = l.Quantile(0.5), l.Quantile(0.99)
	}
	return p
}

// points are those of readings.
func points(list []Reading) (series []record.Point) {
	for _, r := range list {
		series = append(series, r.point())
	}
	return series
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
