package report

import "github.com/upflab/upflab/internal/record"

// row is the figures of one trial of one DUT as they are shown.
type row struct {
	group     group
	DUT       string // label
	Color     string
	Reference bool
	Direction string
	Where     string // the direction, and the size where there are several
	Load      string
	Valid     bool
	AtLeast   bool // received rates are lower bounds
	Limited   string
	Repeats   string
	// Doubtful tells that the load is a share of a non-drop rate that is not valid.
	Doubtful bool
	// LimitClass is how Limited is shown in HTML.
	LimitClass string

	TxKpps, RxKpps, TxGbps, RxGbps cell
	Loss                           cell
	Generator                      cell // % of its core
	Cores, Busy                    cell // of the DUT
	MeanMS, MaxMS, MinMS           cell
	P50, P99, P999                 cell // µs
	P9999                          cell
	Offered                        cell // kpps
	Wire                           cell // the reference's p50 beside it, µs
}

// name is the load, told from that of another kind of trial.
func (r row) name() string {
	if r.group.Kind == record.KindLatency {
		return "latency at " + r.Load
	}
	return r.Load
}

func newRow(d dutView, g group) row {
	limited := g.limitedBy()
	r := row{
		group: g, DUT: d.Label, Color: d.Color, Reference: d.Reference,
		Direction: g.Direction, Where: g.Direction, Load: g.Load,
		Valid: g.valid(), AtLeast: g.bounds() && atLeast(d.Reference, limited),
		Limited: limited, Repeats: g.repeats(), LimitClass: limitClass(limited),
	}
	r.fillRates()
	r.fillLatency()
	return r
}

func (r *row) fillRates() {
	g := r.group
	r.Offered = offeredCell(g)
	r.TxKpps, r.RxKpps = g.stat(txPPS).cell(kpps), g.stat(rxPPS).cell(kpps)
	r.TxGbps, r.RxGbps = g.stat(txBPS).cell(gbps), g.stat(rxBPS).cell(gbps)
	r.Loss = g.stat(loss).cell(lossRatio)
	r.Generator = g.stat(generator).cell(percent)
	r.Cores, r.Busy = g.stat(dutCores).cell(cores), g.stat(coreBusy).cell(percent)
	r.RxKpps.Text = bound(r.AtLeast, r.RxKpps.Text)
	r.RxGbps.Text = bound(r.AtLeast, r.RxGbps.Text)
}

func (r *row) fillLatency() {
	g := r.group
	r.MeanMS = g.latency(latMean).cell(millis)
	r.MaxMS, r.MinMS = g.latency(latMax).cell(millis), g.latency(latMin).cell(millis)
	r.P50, r.P99, r.P999 = g.latency(latP50).cell(micros), g.latency(latP99).cell(micros), g.latency(latP999).cell(micros)
	r.P9999 = g.latency(latP9999).cell(micros)
}
