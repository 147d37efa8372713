package flows

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// OneWay is what upflab's own packets met each way while applications ran.
func OneWay(v *view.Run) block.Section {
	var groups []*view.FlowGroup
	for _, kind := range record.FlowKinds() {
		for _, g := range v.Flows(kind) {
			if len(g.Used[0].OneWay) > 0 {
				groups = append(groups, g)
			}
		}
	}
	if len(groups) == 0 {
		return block.Section{}
	}
	var columns []column
	for _, d := range []struct {
		direction record.Direction
		name      string
	}{{record.Uplink, "Uplink"}, {record.Downlink, "Downlink"}} {
		of := func(get func(*record.OneWay) float64) func(*record.AppFlow) float64 { return way(d.direction, get) }
		columns = append(columns,
			number(d.name+" p50", "µs", of(oneWayTime(median)), units.Micros),
			number("p99", "µs", of(oneWayTime(p99)), units.Micros),
			number("Jitter", "µs", of(func(w *record.OneWay) float64 { return w.JitterNS }), units.Micros),
			number("loss", "", of(func(w *record.OneWay) float64 { return w.LossRatio }), units.Loss))
	}
	return block.Section{Title: "One-way latency while the applications run",
		Hint: "upflab sends packets each way between the flow's first UE and the data network, at a low " +
			"rate. Latency is from the sending system call to the receiver's kernel. Jitter is the mean difference of neighbours. " + spans,
		Blocks: []block.Block{table(groups, columns)}}
}

// way is a figure of the packets of a direction; NaN: there are none.
func way(d record.Direction, get func(*record.OneWay) float64) func(*record.AppFlow) float64 {
	return func(f *record.AppFlow) float64 {
		if at := slices.IndexFunc(f.OneWay, func(w record.OneWay) bool { return w.Direction == d }); at >= 0 {
			return get(&f.OneWay[at])
		}
		return math.NaN()
	}
}

func oneWayTime(of func(*record.AppTime) uint64) func(*record.OneWay) float64 {
	return func(w *record.OneWay) float64 {
		if w.Latency == nil {
			return math.NaN()
		}
		return float64(of(w.Latency))
	}
}

// oneWayFigures are those that are drawn over time.
var oneWayFigures = []struct {
	title string
	y     block.Axis
	of    func(record.OneWayPoint) float64
}{
	{"One-way latency, median", block.Axis{Label: "latency", Unit: block.Nanos, Scale: block.Log},
		func(p record.OneWayPoint) float64 { return gap(p.P50) }},
	{"One-way latency, highest", block.Axis{Label: "latency", Unit: block.Nanos, Scale: block.Log},
		func(p record.OneWayPoint) float64 { return gap(p.Max) }},
	{"One-way jitter", block.Axis{Label: "jitter", Unit: block.Nanos, Scale: block.Log},
		func(p record.OneWayPoint) float64 { return gap(p.JitterNS) }},
	{"One-way loss", block.Axis{Label: "loss", Unit: block.Ratio}, func(p record.OneWayPoint) float64 { return p.LossRatio }},
}

// addOneWay adds the lines of both directions to a view, in panels before that of the CPU.
func addOneWay(v *block.View, g *view.FlowGroup) {
	for _, figure := range oneWayFigures {
		at := slices.IndexFunc(v.Panels, func(p block.Panel) bool { return p.Title == figure.title })
		if at < 0 {
			at = len(v.Panels) - 1
			v.Panels = slices.Insert(v.Panels, at, block.Panel{Title: figure.title, X: block.Axis{Label: "time", Unit: block.Seconds}, Y: figure.y})
		}
		for _, w := range g.Used[0].OneWay {
			s := series(g, map[record.Direction]string{record.Uplink: "solid", record.Downlink: "thin dashed"}[w.Direction])
			for _, p := range w.Series {
				s.Data = append(s.Data, block.Point{X: hundredths(p.T), Y: figure.of(p)})
			}
			v.Panels[at].Series = append(v.Panels[at].Series, s)
		}
	}
}
