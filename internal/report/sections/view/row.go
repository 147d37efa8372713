package view

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

// Row is the repeats of one trial of one UPF.
type Row struct {
	Group
	UPF *UPF
	// Reference is the reference's median latency at that load, µs, or at the nearest
	// one, which is then named.
	Reference block.Cell
	Nearest   *Row // the reference's row that this is from; nil: there is none
}

// Name is the load, and for a latency trial that it is one.
func (r *Row) Name() string {
	name := r.Load.String()
	if r.Kind == record.KindLatency {
		name = "latency at " + name
	}
	if r.UPF.mixedArrivals {
		name += ", " + record.ArrivalsTitle(r.Arrivals)
	}
	return name
}

// Where is the direction, with the size before it where there are several.
func (r *Row) Where() string {
	if r.UPF.Sized {
		return r.Size + " " + string(r.Direction)
	}
	return string(r.Direction)
}

// Bound reports whether received rates are lower bounds of what the UPF can do, in at least half of
// the repeats: those of a latency trial say nothing of that.
func (r *Row) Bound() bool {
	n := 0
	for _, t := range r.Used {
		if bounded(r.UPF.Reference, t.LimitedBy) {
			n++
		}
	}
	return r.Valid() && r.Kind == record.KindLoad && 2*n >= len(r.Used)
}

// Doubtful reports whether the load is a share of a non-drop rate that is not valid.
func (r *Row) Doubtful() bool {
	return r.Load.Relative() && r.Load.Of == record.GoalNDR && !r.UPF.Goal(r.Direction, record.GoalNDR).Known
}

// Tone is that of the row in a table.
func (r *Row) Tone() block.Tone {
	if !r.Valid() {
		return block.Bad
	}
	return r.UPF.Tone()
}

// Cell writes a figure.
func (r *Row) Cell(of Quantity, write units.Writer) block.Cell { return r.Stat(of).Cell(write) }

// Received writes a received rate, "≥ " before it when it is a lower bound.
func (r *Row) Received(of Quantity, write units.Writer) block.Cell {
	c := r.Cell(of, write)
	c.Text = AtLeast(r.Bound(), c.Text)
	return c
}

// CPU writes a figure of the UPF's CPU, "≥ " before it where only its process is watched.
func (r *Row) CPU(of Quantity, write units.Writer) block.Cell {
	c := r.Cell(of, write)
	c.Text = AtLeast(r.Stat(of).N > 0 && record.MostlyCPUAtLeast(r.Used), c.Text)
	return c
}

// Latency writes a figure of the latency, µs, with what kind of a bound it is before it.
func (r *Row) Latency(of func(*record.Latency) float64) block.Cell {
	c := r.Cell(LatencyOf(of), units.Micros)
	c.Text = r.LatencySign(of) + c.Text
	return c
}

// LatencyText is the same with its unit, for a line of text.
func (r *Row) LatencyText(of func(*record.Latency) float64) string {
	return r.LatencySign(of) + r.Cell(LatencyOf(of), units.Time).Text
}

// LatencySign is "≤ " where a figure of the latency is an upper bound, "≥ " where it is a lower
// one, and "~ " where disturbances may be in it and packets that were never sent are.
func (r *Row) LatencySign(of func(*record.Latency) float64) string {
	return record.LatencySign(r.Used, of)
}

// LatencyAtMost reports whether a figure of the latency is an upper bound in at least half of the
// repeats.
func (r *Row) LatencyAtMost(of func(*record.Latency) float64) bool {
	return record.MostlyAtMost(r.Used, of)
}

// LatencyAtLeast reports whether a figure of the latency is a lower bound in at least half of the
// repeats, whether it is an upper one, too, or not.
func (r *Row) LatencyAtLeast(of func(*record.Latency) float64) bool {
	return record.MostlyAtLeast(r.Used, of)
}

// MeanLatency writes the mean, to which every packet adds that was never sent.
func (r *Row) MeanLatency() block.Cell {
	c := r.Cell(LatencyOf(LatMean), units.Micros)
	c.Text = record.BoundSign(r.LatencyAtMost(LatMean), record.MostlyLatency(r.Used, (*record.Latency).MeanAtLeast)) + c.Text
	return c
}

// AtMostWords says of a chart of latency at how many of its loads it shows bounds; "" where it
// shows none.
func AtMostWords(bounds, of int) string {
	if bounds == 0 {
		return ""
	}
	return fmt.Sprintf("At %d of %d loads latency is at most what is shown (≤ or ~ in the tables): packets that waited "+
		"for a disturbance may be in it.", bounds, of)
}

// AtLeastWords says of a chart of latency at how many of its loads the tail is a lower bound;
// "" where it is at none.
func AtLeastWords(bounds, of int) string {
	if bounds == 0 {
		return ""
	}
	return fmt.Sprintf("At %d of %d loads p99 is at least what is shown (≥ or ~ in the tables): %s.", bounds, of, record.NeverSent)
}

// CPUAtLeast reports whether the CPU of a sweep is a lower bound.
func (s Sweep) CPUAtLeast() bool {
	var all []*record.Trial
	for _, p := range s.Points {
		all = append(all, p.Trials...)
	}
	return record.MostlyCPUAtLeast(all)
}

// AtLeast says at how many of the loads p99 is a lower bound; "" where none is.
func (s Sweep) AtLeast() string {
	bounds := 0
	for _, p := range s.Points {
		if record.MostlyAtLeast(p.Trials, P99) {
			bounds++
		}
	}
	return AtLeastWords(bounds, len(s.Points))
}

// AtMost says at how many of the loads a figure of the latency is an upper bound, and what that does to
// models of it; "" where it is at none.
func (s Sweep) AtMost(of func(*record.Latency) float64) string {
	bounds := 0
	for _, p := range s.Points {
		if record.MostlyAtMost(p.Trials, of) {
			bounds++
		}
	}
	text := AtMostWords(bounds, len(s.Points))
	if text != "" && len(s.UPF.Models) > 0 {
		text += " Models are fitted to it, so that what they predict is too high rather than too low, and safe loads too low."
	}
	return text
}

// LoadCell names the load.
func (r *Row) LoadCell() block.Cell {
	c := block.T(r.Load.String())
	switch {
	case r.Load.OfDUT != "": // the rate says more than whose share it is
		c.Short = units.Rate(r.OfferedPPS())
	case r.Load.Kind == record.LoadShare:
		c.Short = fmt.Sprintf("%.0f%% %s", 100*r.Load.Share, r.Load.Of.Title())
	}
	if r.Doubtful() {
		c.Note, c.Short = "non-drop rate not valid", c.Short+"?"
	}
	return c
}

// Verdict is what limited the row, or that it is not valid.
func (r *Row) Verdict(repeated bool) block.Cell {
	c := block.Cell{Text: string(r.Limit()), Tone: LimitTone(r.Limit())}
	if !r.Valid() {
		c = block.Cell{Text: "not valid", Tone: block.Bad}
	}
	if repeated {
		c.Note = "n = " + r.Repeats()
	}
	return c
}
