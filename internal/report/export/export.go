// Package export writes the figures of a result for other programs: CSV, Prometheus'
// text format, InfluxDB's line protocol. The formats are their libraries' work.
package export

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
)

// Row is what was measured together: the figures of one trial, search or flow, or of a
// DUT as a whole.
type Row struct {
	figure.Sample // of the first figure
	DUT           *record.DUT
	Values        []Value
}

// Value is one figure.
type Value struct {
	figure.Figure
	V     float64
	Bound string // "at_most" V, "at_least" V, "both" in parts of it, which reports write as ~; "": V
}

// boundOf names what kind of a bound a sample is.
func boundOf(s figure.Sample) string {
	switch {
	case s.AtMost != "" && s.AtLeast != "":
		return "both"
	case s.AtMost != "":
		return "at_most"
	case s.AtLeast != "":
		return "at_least"
	}
	return ""
}

// Rows lists what was measured, by DUT, in the order of measurement.
func Rows(r *record.Result) (rows []Row) {
	for i := range r.DUTs {
		rows = append(rows, rowsOf(&r.DUTs[i])...)
	}
	return rows
}

func rowsOf(d *record.DUT) (rows []Row) {
	for _, f := range figure.All() {
		for _, s := range f.Samples(d) {
			at := slices.IndexFunc(rows, func(r Row) bool { return r.Place == s.Place && r.Index == s.Index })
			if at < 0 {
				rows, at = append(rows, Row{Sample: s, DUT: d}), len(rows)
			}
			rows[at].Values = append(rows[at].Values, Value{f, s.Value, boundOf(s)})
		}
	}
	return rows
}

// Label is a name of what was measured, for all formats the same, safe to show in a terminal.
type Label struct{ Name, Value string }

// Labels are what tells rows of a result apart, but for the repeat; the same names in
// each row.
func (r Row) Labels() []Label {
	load := ""
	switch r.Kind {
	case record.KindLoad, record.KindLatency:
		load = r.Load.String()
	case figure.KindBeside:
		load = fmt.Sprintf("%.4g%% beside %s/s", 100*r.Share, r.Load)
	case figure.KindN4:
		load = r.Procedure
	}
	return []Label{NewLabel("dut", r.DUT.Label()), NewLabel("version", r.DUT.Version), NewLabel("kind", string(r.Kind)),
		NewLabel("direction", string(r.Direction)), NewLabel("load", load), NewLabel("size", r.Size),
		NewLabel("arrivals", r.Arrivals), NewLabel("link", r.Flow.Link), NewLabel("beside", r.Flow.Beside),
		NewLabel("family", r.Flow.Family)}
}

// Limit is what limited the row.
func (r Row) Limit() Label { return NewLabel("limited_by", string(r.LimitedBy)) }

func run(r *record.Result) Label { return NewLabel("run", r.Run) }

func scenario(r *record.Result) Label { return NewLabel("scenario", r.Scenario) }

// At is when what a row has was measured: its own time, or the end of the run.
func (r Row) At(of *record.Result) time.Time {
	if r.Started.IsZero() {
		return of.Finished
	}
	return r.Started
}
