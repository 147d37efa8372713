package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// apartRow is one direction of a trial of both at once.
type apartRow struct {
	DUT, Color, Load, Direction    string
	First, Reference               bool // First: of its trial
	TxKpps, RxKpps, RxGbps, Loss   cell
	P50, P99, P999                 cell // µs
	Duplicates, Reordered, Damaged cell // packets
}

// apart tells the directions of trials of both at once.
func (v view) apart() (rows []apartRow) {
	for _, kind := range []string{record.KindLoad, record.KindLatency} {
		for _, load := range loadsOf(v.Result, kind) {
			for _, r := range v.rows(kind, "both", load) {
				rows = append(rows, r.apart()...)
			}
		}
	}
	return rows
}

// apart is the directions of one trial; none where it has but one.
func (r row) apart() (rows []apartRow) {
	for i, direction := range r.group.flowDirections() {
		g := r.group
		of := func(figure func(*record.Flow) float64) stat { return g.flow(direction, figure) }
		latency := func(figure func(*record.Latency) float64) cell {
			return of(func(f *record.Flow) float64 {
				if f.Latency == nil || f.Latency.Count == 0 {
					return math.NaN()
				}
				return figure(f.Latency)
			}).cell(micros)
		}
		whole := func(v float64) string { return number(v, "%.0f") }
		rows = append(rows, apartRow{
			DUT: r.DUT, Color: r.Color, Reference: r.Reference, Load: r.name(), Direction: direction, First: i == 0,
			TxKpps: of(func(f *record.Flow) float64 { return f.TxPPS }).cell(kpps),
			RxKpps: of(func(f *record.Flow) float64 { return f.RxPPS }).cell(kpps),
			RxGbps: of(func(f *record.Flow) float64 { return f.RxL2bps }).cell(gbps),
			Loss:   of(func(f *record.Flow) float64 { return f.FrameLossRatio }).cell(lossRatio),
			P50:    latency(latP50), P99: latency(latP99), P999: latency(latP999),
			Duplicates: of(func(f *record.Flow) float64 { return float64(f.Duplicates) }).cell(whole),
			Reordered:  of(func(f *record.Flow) float64 { return float64(f.Reordered) }).cell(whole),
			Damaged:    of(func(f *record.Flow) float64 { return float64(f.Wrong) }).cell(whole),
		})
	}
	return rows
}

// flowDirections are those that the trials tell apart.
func (g group) flowDirections() (names []string) {
	if len(g.Used) == 0 {
		return nil
	}
	for _, f := range g.Used[0].Flows {
		names = append(names, string(f.Direction))
	}
	return names
}

// flow gives a figure of one direction of the trials.
func (g group) flow(direction string, of func(*record.Flow) float64) stat {
	return g.stat(func(t *record.Trial) float64 {
		for i := range t.Flows {
			if string(t.Flows[i].Direction) == direction {
				return of(&t.Flows[i])
			}
		}
		return math.NaN()
	})
}

// apart is the table of both directions apart.
func (m *markdown) apart(v view) {
	rows := v.apart()
	if len(rows) == 0 {
		return
	}
	m.heading("Both directions at once, apart")
	m.linef("The trials of both directions: what each did while the other was under way. Latency in µs.%s\n", repeatNote(v))
	var lines [][]string
	for _, r := range rows {
		lines = append(lines, []string{escape(r.Load), escape(r.DUT), escape(r.Direction), r.TxKpps.String(), r.RxKpps.String(), r.RxGbps.String(),
			r.Loss.String(), r.P50.String(), r.P99.String(), r.P999.String(), r.Reordered.String(), r.Duplicates.String(), r.Damaged.String()})
	}
	m.table([]string{"Load", "UPF", "Direction", "Tx<br>(kpps)", "Rx<br>(kpps)", "Rx<br>(Gbit/s)", "Frame loss<br>ratio", "p50", "p99", "p99.9",
		"Reordered", "Duplicates", "Wrong"}, lines)
}

// apart is a line below a trial of both directions.
func (t *text) apart(r row) {
	var words []string
	for _, one := range r.apart() {
		words = append(words, fmt.Sprintf("%s Rx %s kpps, loss %s, p50 %s, p99 %s µs", one.Direction, one.RxKpps.Text, one.Loss.Text, one.P50.Text, one.P99.Text))
	}
	if len(words) > 0 {
		t.say("    of it ", strings.Join(words, "; "))
	}
}
