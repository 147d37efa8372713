package trials

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// RoundTrip lists round trips where the clocks of hosts are not good enough for one-way delays.
func RoundTrip(v *view.Run) block.Section {
	columns := []column{loadColumn(), upfColumn(),
		cell("Sent back", "packets", ofRoundTrip(func(r *record.RoundTrip) float64 { return float64(r.SentBack) }), units.Nanos),
		cell("of these lost", "packets", ofRoundTrip(func(r *record.RoundTrip) float64 { return float64(r.Lost) }), units.Nanos),
		roundTrip("min", view.LatMin), roundTrip("p50", view.P50), roundTrip("p99", view.P99), roundTrip("max", view.LatMax),
		cell("At the far host", "µs", ofRoundTrip(func(r *record.RoundTrip) float64 { return r.StayNS }), units.Micros),
	}
	s := block.Section{Title: "Round trip",
		Hint: "Instead of one-way delays, for which the hosts' clocks are not good enough: from the host that " +
			"sends through the UPF to the host where packets arrive, " +
			"and back through the UPF in the other direction, by the sender's clock, from the intended send time. The " +
			"time at the far host is not in it. Half of it is not the one-way delay: the two directions may differ." + repeatHint(v)}
	for _, kind := range []record.Kind{record.KindLoad, record.KindLatency} {
		for _, direction := range v.Directions {
			if rows := withRoundTrip(v.AllRows(kind, direction)); len(rows) > 0 {
				s.Blocks = append(s.Blocks, table(roundTripTitle(kind, direction), rows, columns))
			}
		}
	}
	return s
}

func roundTripTitle(kind record.Kind, d record.Direction) string {
	title := string(d)
	switch d {
	case record.Uplink:
		title = "uplink and back downlink"
	case record.Downlink:
		title = "downlink and back uplink"
	case record.Both:
		title = "both directions loaded, uplink and back downlink"
	}
	if kind == record.KindLatency {
		title += ", latency trials"
	}
	return title
}

// withRoundTrip are the rows that have round trips and no one-way delays.
func withRoundTrip(all []*view.Row) (list []*view.Row) {
	sent := ofRoundTrip(func(r *record.RoundTrip) float64 { return float64(r.SentBack) })
	for _, r := range all {
		if r.Stat(sent).N > 0 {
			list = append(list, r)
		}
	}
	return list
}

func roundTrip(head string, of func(*record.Latency) float64) column {
	return cell(head, "µs", ofRoundTrip(func(r *record.RoundTrip) float64 { return view.OfLatency(r.Latency, of) }), units.Micros)
}

// ofRoundTrip is a figure of the round trip of a trial without one-way delays.
func ofRoundTrip(of func(*record.RoundTrip) float64) view.Quantity {
	return func(t *record.Trial) float64 {
		if t.RoundTrip == nil || t.Latency != nil {
			return math.NaN()
		}
		return of(t.RoundTrip)
	}
}
