package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/reason"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// cards answer what people ask of a UPF, one card for each question: how fast it is, what limited
// that, its latency, and how much load is safe. That is the first question of a stress study.
func cards(v *view.Run, d *view.UPF) []block.Card {
	fast, limit, latency, safe := block.Card{Question: "How fast"}, block.Card{Question: "Limited by"},
		block.Card{Question: "Latency"}, block.Card{Question: "Safe load"}
	for _, h := range v.Headlines(d) {
		name := string(h.Direction) + ": "
		fast.Lines = append(fast.Lines, name+howFast(h))
		if words := limitedBy(h); words != "" {
			limit.Lines = append(limit.Lines, name+words)
		}
		if words := howLong(h); words != "" {
			latency.Lines = append(latency.Lines, name+words)
		}
		for _, words := range howMuch(v, h) {
			safe.Lines = append(safe.Lines, name+words)
		}
	}
	list := []block.Card{fast, limit, latency, safe}
	if d.Stress != nil || len(d.SafeLoads) > 0 {
		list = []block.Card{safe, fast, limit, latency}
	}
	return slices.DeleteFunc(list, func(c block.Card) bool { return len(c.Lines) == 0 })
}

// howFast is the rate with its interval; of a search or trials that are not valid their best bound.
func howFast(h view.Headline) string {
	var parts []string
	for _, g := range []view.GoalRate{h.NDR, h.PDR} {
		if g.Searched {
			parts = append(parts, searched(g))
		}
	}
	switch {
	case h.Best != nil && !h.NDR.Known:
		mpps, gbps, _ := h.Received()
		text := mpps.Text + " Mpps"
		if h.NDR.Searched {
			text = "highest received " + text
		}
		parts = append(parts, text+interval(mpps.Range)+", "+gbps.Text+" Gbit/s")
	case h.Best == nil && !h.NDR.Known:
		if words := bestInvalid(h); words != "" {
			parts = append(parts, words)
		}
	}
	return units.OrElse(strings.Join(parts, ", "), "not measured")
}

func interval(written string) string {
	if written == "" {
		return ""
	}
	return " (" + written + ")"
}

func searched(g view.GoalRate) string {
	if !g.Known {
		return g.Title + " not valid: " + g.Bounds
	}
	between := g.Mpps.Range
	if between == "" && len(g.Used) == 1 {
		between = g.Used[0].Bounds()
		if !strings.HasSuffix(between, " by shorter trials") && between != view.NoBound {
			between += " kpps"
		}
	}
	return fmt.Sprintf("%s %s Mpps, %s Gbit/s%s", g.Title, g.Mpps.Text, g.Gbps.Text, interval(between))
}

// countless are the faults after which not even what arrived can be believed.
var countless = []record.Fault{record.FaultCounters, record.FaultHost, record.FaultWrong, record.FaultDUTEnded}

// bestInvalid is the most that arrived in a trial that is not valid: whatever kept it from being valid
// did not make packets arrive, so the UPF carries at least that.
func bestInvalid(h view.Headline) string {
	var best *record.Trial
	for _, r := range h.UPF.Rows {
		for _, t := range r.All {
			if r.Kind != record.KindLoad || r.Direction != h.Direction || t.Valid || t.RxPPS <= 0 ||
				slices.ContainsFunc(t.Faults, func(f record.Fault) bool { return slices.Contains(countless, f) }) {
				continue
			}
			if best == nil || t.RxPPS > best.RxPPS {
				best = t
			}
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf("≥ %s Mpps, in a trial that is not valid%s", units.Mpps(best.RxPPS), because(best))
}

// because names the first fault of a trial.
func because(t *record.Trial) string {
	if len(t.Faults) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", t.Faults[0], reason.Name(string(t.Faults[0])))
}

// limitedBy is what limited the rate that howFast gives.
func limitedBy(h view.Headline) string {
	switch {
	case h.NDR.Known:
		limits := map[record.Limit]bool{}
		for _, g := range h.NDR.Used {
			limits[g.Limit()] = true
		}
		if len(limits) > 1 || h.UPF.Reference {
			return h.NDR.Note
		}
		return limitWords(h.NDR.Used[0].Limit())
	case h.Best == nil:
		return h.NDR.Why
	case h.UPF.Reference:
		return view.LimitNote(true, "")
	}
	return limitWords(h.Best.Limit())
}

// limitWords name a limit, and what that makes of the rate.
func limitWords(limit record.Limit) string {
	atLeast := func(what string) string {
		return what + "; the UPF can do at least this (limited_by_" + string(limit) + ")"
	}
	switch limit {
	case record.LimitDUT:
		return "the UPF itself"
	case record.LimitGenerator:
		return atLeast("the generator")
	case record.LimitLink:
		return atLeast("the bench")
	case record.LimitHost:
		return atLeast("the machine")
	case record.LimitNone:
		return atLeast("nothing, all that was offered was carried")
	}
	return view.LimitNote(false, limit)
}

// howLong is the latency at the least load; of a trial that is not valid an upper bound, since what
// disturbs a trial only adds to it.
func howLong(h view.Headline) string {
	if r := h.Lowest; r != nil {
		text := latencyWords(r)
		if wire := r.Reference.Text; wire != "" && wire != units.None && wire != "–" {
			text += " (wire: p50 " + wire + " µs)"
		}
		return strings.TrimPrefix(text, "latency ")
	}
	for _, r := range h.UPF.Rows {
		for _, t := range r.All {
			if r.Kind == record.KindLatency && r.Direction == h.Direction && t.Latency != nil && t.Latency.P99 > 0 {
				return fmt.Sprintf("p50 ≤ %s µs, p99 ≤ %s µs at %s, in a trial that is not valid%s", units.Micros(float64(t.Latency.P50)),
					units.Micros(float64(t.Latency.P99)), r.Load.String(), because(t))
			}
		}
	}
	return ""
}

// howMuch is the load that is safe for an operator: that of a stress study, for each class of traffic,
// else the highest load of which nothing was lost.
func howMuch(v *view.Run, h view.Headline) (lines []string) {
	if h.UPF.Reference {
		return nil
	}
	for _, class := range classesOf(h.UPF) {
		if s, ok := safest(h.UPF, h.Direction, class); ok {
			lines = append(lines, safeSentence(s, len(v.Host.Placement.DUT))+safeInterval(s))
		}
	}
	if len(lines) > 0 {
		return lines
	}
	if h.NDR.Known {
		return []string{"up to the non-drop rate nothing is lost; `upflab run stress` adds targets of latency"}
	}
	most := 0.0
	for _, r := range h.UPF.Rows {
		if r.Kind == record.KindLoad && r.Direction == h.Direction && r.Valid() && r.Stat(view.Loss).Median == 0 {
			most = max(most, r.Stat(view.RxPPS).Median)
		}
	}
	if most == 0 {
		return nil
	}
	return []string{fmt.Sprintf("nothing was lost up to %s; `upflab run stress` finds the safe load", units.Rate(most))}
}

func safeInterval(s record.SafeLoad) string {
	if s.HighPPS <= 0 || s.AtLeast || s.Measured {
		return ""
	}
	return fmt.Sprintf(" (95 %% interval %s to %s)", units.Rate(s.LowPPS), units.Rate(s.HighPPS))
}
