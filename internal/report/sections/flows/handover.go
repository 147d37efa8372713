package flows

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Handover is what a change of the gNB in the middle of a flow cost.
func Handover(v *view.Run) block.Section {
	var groups []*view.FlowGroup
	for _, kind := range record.FlowKinds() {
		groups = append(groups, slices.DeleteFunc(v.Flows(kind), func(g *view.FlowGroup) bool { return !g.AppKey.Handover })...)
	}
	if len(groups) == 0 {
		return block.Section{}
	}
	of := func(get func(*record.Handover) float64) func(*record.AppFlow) float64 {
		return func(f *record.AppFlow) float64 {
			if f.Handover == nil {
				return math.NaN()
			}
			return get(f.Handover)
		}
	}
	return block.Section{Title: "Handover in mid-flow",
		Hint: "The UE moves to a second gNB, then its path is switched by PFCP. Outage: the longest time without " +
			"an answer to pings of the UE, each 2 ms. " +
			"To the old: packets that the UPF still sent where the UE no longer was. TCP stall: in steps of 0.1 s.",
		Blocks: []block.Block{table(groups, []column{
			number("N4", "ms", of(func(h *record.Handover) float64 { return h.N4S * 1e9 }), units.Millis),
			number("Outage", "ms", of(func(h *record.Handover) float64 { return h.OutageS * 1e3 }),
				func(v float64) string { return units.Number(v, "%.0f") }),
			number("Lost", "pings", of(func(h *record.Handover) float64 { return float64(h.Lost) }), whole),
			number("Reordered", "pings", of(func(h *record.Handover) float64 { return float64(h.Reordered) }), whole),
			number("To the old", "packets", of(func(h *record.Handover) float64 { return float64(h.ToOld) }), whole),
			number("End markers", "", of(func(h *record.Handover) float64 { return float64(h.EndMarkers) }), whole),
			number("TCP stall", "s", of(func(h *record.Handover) float64 { return h.StallS }),
				func(v float64) string { return units.Number(v, "%.1f") }),
		})}}
}
