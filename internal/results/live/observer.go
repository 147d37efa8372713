package live

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
)

// Observer writes down what another one hears, too.
type Observer struct {
	watch.Observer
	w *writer

	mu     sync.Mutex
	points []record.Point // since the last one that was written
	at     time.Time      // when that was
	staged time.Time
}

// Watch writes what next hears into live.jsonl in dir, of a run with so many trials.
func Watch(dir, scenario string, trials int, next watch.Observer) *Observer {
	o := &Observer{Observer: next, w: newWriter(dir)}
	o.w.write(Event{Kind: KindPlan, Scenario: scenario, Trials: trials})
	return o
}

// Close ends the file. Why says how the run ended; "": well.
func (o *Observer) Close(why string) {
	o.w.write(Event{Kind: KindDone, Text: why})
	o.w.close()
}

// Engine implements watch.Observer: it writes what sends and receives.
func (o *Observer) Engine(e record.Engine) {
	o.w.write(Event{Kind: KindLog, Text: fmt.Sprintf("sending and receiving by %s: %s", e.Name, e.Why)})
	o.Observer.Engine(e)
}

// Stage implements watch.Observer: it names what is being set up. Of stages that follow each other
// fast only the first is written.
func (o *Observer) Stage(target, what string) {
	o.mu.Lock()
	due := time.Since(o.staged) >= pointEvery/2
	if due {
		o.staged = time.Now()
	}
	o.mu.Unlock()
	if due {
		o.w.write(Event{Kind: KindStage, Target: target, Text: what})
	}
	o.Observer.Stage(target, what)
}

// Begin implements watch.Observer: it writes that the trial begins.
func (o *Observer) Begin(n int, target string, t record.Trial) {
	o.mu.Lock()
	o.points, o.at = nil, time.Now()
	o.mu.Unlock()
	o.w.write(Event{Kind: KindBegin, N: n, Target: target, Trial: name(t)})
	o.Observer.Begin(n, target, t)
}

// Point implements trial.Observer: it writes what was measured, once a second.
func (o *Observer) Point(p record.Point) {
	o.mu.Lock()
	o.points = append(o.points, p)
	var due []record.Point
	if time.Since(o.at) >= pointEvery {
		due, o.points, o.at = o.points, nil, time.Now()
	}
	o.mu.Unlock()
	if len(due) > 0 {
		o.w.write(summed(due))
	}
}

// summed is the means of rates, median latency and CPU, and the worst p99.
func summed(points []record.Point) Event {
	e, n, timed := Event{Kind: KindPoint}, float64(len(points)), uint64(0)
	for _, p := range points {
		e.TxPPS += p.TxPPS / n
		e.RxPPS += p.RxPPS / n
		e.Cores += p.DUTCores / n
		e.P99 = max(e.P99, p.P99)
		if p.P50 > 0 {
			e.P50, timed = e.P50+p.P50, timed+1
		}
	}
	e.P50 /= max(1, timed)
	if e.TxPPS > 0 {
		e.Loss = max(0, 1-e.RxPPS/e.TxPPS)
	}
	return e
}

// End implements watch.Observer: it writes the figures of the finished trial.
func (o *Observer) End(n int, target string, t record.Trial) {
	e := Event{Kind: KindEnd, N: n, Target: target, Trial: name(t), TxPPS: t.TxPPS, RxPPS: t.RxPPS, Loss: t.FrameLossRatio,
		Cores: t.CPU.DUTCores, LimitedBy: t.LimitedBy, Valid: t.Valid}
	if t.Latency != nil {
		e.P50, e.P99 = t.Latency.P50, t.Latency.P99
	}
	if !t.Valid {
		e.Text = strings.Join(t.Reasons, "; ")
	}
	o.w.write(e)
	o.Observer.End(n, target, t)
}

func name(t record.Trial) string { return compare.Where(t.Kind, t.Direction, t.Load.String()) }

// Flowed implements watch.Observer: it writes the figures of the finished flow.
func (o *Observer) Flowed(n int, target string, f record.AppFlow) {
	o.w.write(Event{Kind: KindEnd, N: n, Target: target, Trial: strings.TrimSpace(string(f.Direction) + " application"), Loss: f.LossRatio,
		LimitedBy: f.LimitedBy, Valid: f.Valid, Text: strings.Join(f.Reasons, "; ")})
	o.Observer.Flowed(n, target, f)
}

// Tried writes the case or incident that is over.
func (o *Observer) Tried(n int, target string, s watch.Step) {
	o.w.write(Event{Kind: KindEnd, N: n, Target: target, Trial: s.Name, Valid: s.Good, Text: s.Outcome})
	o.Observer.Tried(n, target, s)
}

// Searched implements watch.Observer: it writes how many trials the search took.
func (o *Observer) Searched(target string, s record.Search) {
	o.w.write(Event{Kind: KindLog, Target: target,
		Text: fmt.Sprintf("%s %s: %d trials in %.0f s", s.Direction, s.Method, len(s.Trials), s.DurationS)})
	o.Observer.Searched(target, s)
}

// Failed implements watch.Observer: it writes why a DUT is given up.
func (o *Observer) Failed(target string, err error) {
	o.w.write(Event{Kind: KindLog, Target: target, Text: "failed: " + err.Error()})
	o.Observer.Failed(target, err)
}
