// Package controlplane has the sections of a report on N4 under load, and on user traffic
// beside it.
package controlplane

import (
	"fmt"
	"sort"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// rows makes a row of each item of each UPF that was studied.
func rows[T any](v *view.Run, of func(*record.ControlPlane) []T, row func(*view.UPF, T) []block.Cell) (list []block.Row) {
	for _, d := range v.UPFs {
		if d.ControlPlane == nil {
			continue
		}
		for _, x := range of(d.ControlPlane) {
			list = append(list, block.Row{Cells: row(d, x)})
		}
	}
	return list
}

// section is a title and a table, where that has rows.
func section(title, hint string, t block.Table) block.Section {
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: title, Hint: hint, Blocks: []block.Block{t}}
}

// Rates are the highest rates of procedures.
func Rates(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Key("Procedure"), block.Words("Goal"),
		block.Number("Rate", "/s"), block.Number("Answer p50", "µs"),
		block.Number("p99", "µs"), block.Words("Above it"), block.Prose("Doubts").In(block.Pages)}}
	t.Rows = rows(v, func(c *record.ControlPlane) []record.ProcedureRate { return c.Rates },
		func(d *view.UPF, r record.ProcedureRate) []block.Cell {
			rate, p50, p99 := units.None, units.None, units.None
			if r.PerS > 0 {
				rate = view.AtLeast(r.AtLeast, fmt.Sprintf("%.0f", r.PerS))
			}
			if r.P99NS > 0 {
				p50, p99 = units.Micros(float64(r.P50NS)), units.Micros(float64(r.P99NS))
			}
			return []block.Cell{d.NameCell(), block.T(r.Procedure), block.T(goal(r)), block.T(rate), block.T(p50), block.T(p99), block.T(above(r)),
				block.T(block.Printable(strings.Join(r.Reasons, "; ")))}
		})
	return section("Procedures a second",
		"The highest rate at which nearly all is accepted (max), and at which nearly all is accepted in time "+
			"(p99), found by the same search as packet rates. "+
			"Latency from when a procedure was due to its last answer. "+benches(v), t)
}

// benches says what the SMF itself reaches.
func benches(v *view.Run) string {
	var parts []string
	for _, d := range v.UPFs {
		if d.ControlPlane != nil && d.ControlPlane.BenchPerS > 0 {
			parts = append(parts, fmt.Sprintf("%.0f/s beside %s", d.ControlPlane.BenchPerS, d.Label))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "upflab's SMF itself modified " + strings.Join(parts, ", ") +
		" against a responder that keeps nothing; ≥: that, or the highest rate tried, is the limit."
}

func goal(r record.ProcedureRate) string {
	if r.Goal == record.RateP99 {
		return "p99 ≤ " + units.Time(r.P99LimitNS)
	}
	return fmt.Sprintf("≥ %.4g %% accepted", 100*(1-r.LossRatio))
}

// above is what happened at the lowest rate that broke the goal.
func above(r record.ProcedureRate) string {
	a := r.Above
	if a == nil {
		return ""
	}
	parts := []string{fmt.Sprintf("at %.0f/s", a.PerS)}
	for _, x := range []struct {
		n    uint64
		what string
	}{{a.Refused, "refused"}, {a.Unanswered, "not answered"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", x.n, a.Sent, x.what))
		}
	}
	parts = append(parts, causes(a.Causes)...)
	if len(parts) == 1 && a.Latency != nil {
		parts = append(parts, "p99 "+units.Time(float64(a.Latency.P99)))
	}
	return strings.Join(parts, ", ")
}

func causes(all map[string]uint64) (list []string) {
	for cause := range all {
		list = append(list, block.Printable(cause))
	}
	sort.Strings(list)
	return list
}

// Incidents are what UPFs did not survive.
func Incidents(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("UPF"), block.Words("During"), block.Words(""), block.Prose("What it said")}}
	for _, d := range v.UPFs {
		if d.ControlPlane == nil {
			continue
		}
		for _, x := range d.ControlPlane.Incidents {
			what := block.Cell{Text: "answered no more", Tone: block.Bad}
			if x.Died {
				what.Text = "died"
			}
			t.Rows = append(t.Rows, block.Row{Cells: []block.Cell{d.NameCell(), block.T(x.During), what, block.T(block.Printable(x.Why))}})
		}
	}
	return section("What a UPF did not survive", "It was started anew for the next part.", t)
}
