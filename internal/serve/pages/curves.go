package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/results/live"
)

// curves are the charts of a run while it goes: rate, loss, latency and CPU over the whole run,
// the trials as bands, each UPF in a color.
type curves struct {
	points []moment
	trials []band
	upfs   []string // in the order in which they first came
	now    float64  // time of the newest event, s
	dirty  bool     // there is something that was not drawn
	drawn  time.Time
	wait   time.Duration // until the next drawing
}

// moment is what was measured in about a second of a trial, or the merger of several.
type moment struct {
	live.Event
	trial     int // index in trials
	n         float64
	latencies float64 // how many of the n have a latency
}

// band is a trial: from when to when, of which UPF.
type band struct {
	from, to float64 // s; to is NaN while it goes
	target   string
	name     string
}

// Bounds of what is kept, whatever a file says: of points the older half is merged beyond
// pointsMost, and the oldest trials are forgotten.
const (
	pointsMost = 4096
	trialsMost = 2048
	upfsMost   = 10
)

// columns is how many points a line has at most, about: a chart is some hundred pixels wide.
const columns = 240

// hear takes a line of live.jsonl. A line that is no event changes nothing.
func (c *curves) hear(line []byte) {
	var e live.Event
	if json.Unmarshal(line, &e) != nil || !(e.T >= 0 && e.T < 1e9) {
		return
	}
	c.now = max(c.now, e.T)
	switch e.Kind {
	case live.KindBegin:
		c.end(e.T)
		c.trials = append(c.trials, band{e.T, math.NaN(), e.Target, e.Trial})
		if !slices.Contains(c.upfs, e.Target) && len(c.upfs) < upfsMost {
			c.upfs = append(c.upfs, e.Target)
		}
	case live.KindPoint:
		if len(c.trials) == 0 {
			return
		}
		p := moment{Event: e, trial: len(c.trials) - 1, n: 1}
		if e.P50 != 0 {
			p.latencies = 1
		}
		c.points = append(c.points, p)
		c.dirty = true
	case live.KindEnd, live.KindDone:
		c.end(e.T)
	}
	c.bound()
}

// end closes the trial under way.
func (c *curves) end(t float64) {
	if n := len(c.trials); n > 0 && math.IsNaN(c.trials[n-1].to) {
		c.trials[n-1].to = t
		c.dirty = c.dirty || len(c.points) > 0
	}
}

// bound keeps what is kept within its bounds.
func (c *curves) bound() {
	if len(c.points) > pointsMost {
		c.points = merged(c.points, (c.now-c.points[0].T)/(pointsMost/2))
		c.points = c.points[max(0, len(c.points)-pointsMost*3/4):]
	}
	if drop := len(c.trials) - trialsMost; drop > 0 {
		c.trials = slices.Delete(c.trials, 0, drop)
		for i := range c.points {
			c.points[i].trial -= drop
		}
		c.points = slices.DeleteFunc(c.points, func(p moment) bool { return p.trial < 0 })
	}
}

// merged makes one point of those of one trial that fall into the same stretch of time: the means,
// of p50 that of the points that have one, of p99 the highest.
func merged(points []moment, width float64) (list []moment) {
	for _, p := range points {
		n := len(list)
		if n == 0 || list[n-1].trial != p.trial || width > 0 && math.Floor(list[n-1].T/width) != math.Floor(p.T/width) {
			list = append(list, p)
			continue
		}
		q := &list[n-1]
		all := q.n + p.n
		mean := func(a, b float64) float64 { return (a*q.n + b*p.n) / all }
		q.TxPPS, q.RxPPS, q.Loss = mean(q.TxPPS, p.TxPPS), mean(q.RxPPS, p.RxPPS), mean(q.Loss, p.Loss)
		q.Cores = mean(q.Cores, p.Cores)
		if both := q.latencies + p.latencies; both > 0 {
			q.P50 = uint64((float64(q.P50)*q.latencies + float64(p.P50)*p.latencies) / both)
			q.latencies = both
		}
		q.P99, q.n = max(q.P99, p.P99), all
	}
	return list
}

// quantity is what a line of a chart shows of a point.
type quantity struct {
	name, line string
	of         func(moment) float64
}

// curve is a chart of the page.
type curve struct {
	title, label string
	unit         block.Unit
	scale        block.Scale
	lines        []quantity
}

func curvesShown() []curve {
	return []curve{
		{"Rate", "rate", block.PPS, block.Linear, []quantity{{"sent", "dashed", func(s moment) float64 { return s.TxPPS }},
			{"received", "solid", func(s moment) float64 { return s.RxPPS }}}},
		{"Frame loss", "frame loss", block.Ratio, block.Linear, []quantity{{"", "solid", func(s moment) float64 { return s.Loss }}}},
		{"Latency", "latency", block.Nanos, block.Log, []quantity{{"p50", "dashed", func(s moment) float64 { return timed(s.P50) }},
			{"p99", "solid", func(s moment) float64 { return timed(s.P99) }}}},
		{"CPU of the UPF", "CPU", block.Cores, block.Linear, []quantity{{"", "solid", func(s moment) float64 { return s.Cores }}}},
	}
}

// timed is a latency; NaN: none was taken.
func timed(ns uint64) float64 {
	if ns == 0 {
		return math.NaN()
	}
	return float64(ns)
}

// figures are the charts as blocks.
func (c *curves) figures() (list []block.Block) {
	shown := merged(c.points, c.now/columns)
	for i, of := range curvesShown() {
		p := block.Panel{X: block.Axis{Label: "time in the run", Unit: block.Seconds, Least: block.Num(c.now)},
			Y: block.Axis{Label: of.label, Unit: of.unit, Scale: of.scale}, Areas: c.bands()}
		for _, target := range c.upfs {
			for _, q := range of.lines {
				p.Series = append(p.Series, c.line(shown, target, q))
			}
		}
		f := block.Figure{ID: fmt.Sprint("curve-", i), Title: of.title, Shape: block.XY, Only: block.HTML,
			Views: []block.View{{Panels: []block.Panel{p}}}}
		list = append(list, f)
	}
	return list
}

// line is one quantity of one UPF, with a gap between trials.
func (c *curves) line(shown []moment, target string, q quantity) block.Series {
	s := block.Series{Name: block.Printable(target), Color: c.color(target), Line: q.line}
	if q.name != "" {
		s.Name += ", " + q.name
	}
	last := -1
	for _, p := range shown {
		if c.trials[p.trial].target != target {
			continue
		}
		if last >= 0 && p.trial != last {
			s.Data = append(s.Data, block.Point{X: p.T, Y: math.NaN()})
		}
		if p.trial != last { // a point is of the second before it: a trial of one is a line, too
			s.Data = append(s.Data, block.Point{X: max(c.trials[p.trial].from, p.T-1), Y: q.of(p)})
		}
		s.Data, last = append(s.Data, block.Point{X: p.T, Y: q.of(p)}), p.trial
	}
	return s
}

func (c *curves) color(target string) string {
	if target == "wire" {
		return "ref"
	}
	at := slices.Index(slices.DeleteFunc(slices.Clone(c.upfs), func(t string) bool { return t == "wire" }), target)
	return fmt.Sprintf("c%d", max(0, at)%10)
}

// bands are the trials, every other one shaded more.
func (c *curves) bands() (list []block.Area) {
	for i, t := range c.trials {
		to := t.to
		if math.IsNaN(to) {
			to = c.now
		}
		list = append(list, block.Area{From: block.Num(t.from), To: block.Num(to), Pale: i%2 == 1,
			Name: block.Printable(t.name + ", " + t.target)})
	}
	return list
}

// The least and the longest time between two drawings, and what share of a CPU drawing may take.
const (
	drawLeast = time.Second
	drawMost  = 10 * time.Second
	drawShare = 0.00025
)

// due reports whether the charts are to be drawn again.
func (c *curves) due() bool { return c.dirty && time.Since(c.drawn) >= c.wait }

// draw gives the charts as a JSON string of HTML. It notes how long that took: the longer, the
// rarer are the next ones, so that watching a run does not disturb it.
func (c *curves) draw() ([]byte, error) {
	begun := time.Now()
	var page bytes.Buffer
	err := html.Fragment(&page, c.figures())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(page.String())
	c.dirty, c.drawn = false, time.Now()
	c.wait = min(max(time.Duration(float64(c.drawn.Sub(begun))/drawShare), drawLeast), drawMost)
	return text, err
}
