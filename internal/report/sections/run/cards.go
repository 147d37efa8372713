package run

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/reason"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// cards answer what people ask of a UPF, one card for each question: how fast it is, what limited
// that, its latency, and how much load is safe. That is the first question of a stress study.
func cards(v *view.Run, d *view.UPF, u units.Rates) []block.Card {
	fast, limit, latency, safe := block.Card{Question: "How fast"}, block.Card{Question: "Limited by"},
		block.Card{Question: "Latency"}, block.Card{Question: noLoss}
	if study(d) {
		safe.Question = "Safe load"
	}
	for _, h := range v.Headlines(d) {
		for _, one := range []struct {
			card  *block.Card
			lines []block.Line
		}{{&fast, howFast(v, h, u)}, {&limit, limitedBy(h)}, {&latency, howLong(v, h)}, {&safe, howMuch(v, h, u)}} {
			for _, l := range one.lines {
				l.Of = string(h.Direction)
				one.card.Lines = append(one.card.Lines, l)
			}
		}
	}
	list := []block.Card{fast, limit, latency, safe}
	if study(d) {
		list = []block.Card{safe, fast, limit, latency}
	}
	return slices.DeleteFunc(list, func(c block.Card) bool { return len(c.Lines) == 0 })
}

// noLoss is the question of the last card where no safe load was asked for.
const noLoss = "No loss"

// howSafe says what that card leaves open; "" where no UPF has one.
func howSafe(all block.Answers) string {
	for _, a := range all {
		if slices.ContainsFunc(a.Cards, func(c block.Card) bool { return c.Question == noLoss }) {
			return " No loss: of so many packets, where they are lost one by one; `upflab run stress` finds the load that is safe."
		}
	}
	return ""
}

// study reports whether safe loads were asked for.
func study(d *view.UPF) bool { return d.Stress != nil || len(d.SafeLoads) > 0 }

// unitOf is the unit of all rates in the answers of a run: they are compared with each other.
func unitOf(v *view.Run) units.Rates {
	least, most := math.Inf(1), 0.0
	for _, d := range v.UPFs {
		highest := 0.0
		for _, h := range v.Headlines(d) {
			highest = max(highest, h.PPS())
		}
		for _, s := range d.SafeLoads {
			highest = max(highest, s.PPS)
		}
		for _, r := range d.Rows {
			for _, t := range r.All {
				highest = max(highest, t.RxPPS)
			}
		}
		if highest > 0 {
			least, most = min(least, highest), max(most, highest)
		}
	}
	return units.RatesOf(least, most)
}

// howFast is the rate with its interval; of a search or trials that are not valid their best bound.
func howFast(v *view.Run, h view.Headline, u units.Rates) (lines []block.Line) {
	for _, g := range []view.GoalRate{h.NDR, h.PDR} {
		if g.Searched {
			lines = append(lines, searched(g, u))
		}
	}
	switch {
	case h.Best != nil && !h.NDR.Known:
		rate, bits := h.Best.Received(view.RxPPS, u.Number), h.Best.Received(view.RxBPS, units.Gbps)
		within := rate.Range
		if !h.Best.Bound() {
			within = units.OrElse(betweenRuns(v.Calibration, "rx_pps", h.Best.Stat(view.RxPPS), u.Number), within)
		}
		l := block.Line{Figure: rate.Text + " " + u.Name(), Text: interval(within) + ", " + bits.Text + " Gbit/s"}
		if h.NDR.Searched {
			l.Lead = "highest received "
		}
		lines = append(lines, l)
	case h.Best == nil && !h.NDR.Known:
		lines = append(lines, bestInvalid(h, u)...)
	}
	if len(lines) == 0 {
		return []block.Line{{Text: "not measured"}}
	}
	carried := h.Best != nil && !h.NDR.Searched && h.Best.Limit() == record.LimitNone // by both: it compares loads
	if share := h.OfReference; share > 0 && !carried {
		lines[0].Text += fmt.Sprintf(", %.0f %% of %s", 100*share, h.ReferenceLabel)
	}
	return lines
}

// howSure says how far another run of the same UPF lies.
func howSure(c *record.Calibration) string {
	if c == nil || c.Runs < between.LeastRuns {
		return " Uncalibrated: how far another run lies is not known; `sudo upflab calibrate` measures it."
	}
	another, by := "another run", between.Rests(c)+" of "+c.Device
	if slices.ContainsFunc(c.Scatter, func(s record.Scatter) bool { return !s.AcrossDays }) {
		another += " of the same day"
	}
	if c.Certificate != "" {
		by += ", certificate " + c.Certificate
	}
	return " From run to run: where " + another + " lies, with 95 %, by " + by + "."
}

// betweenRuns is where a figure of another run lies, with 95 %, by what the machine was measured to differ by from
// itself, and no closer than the repeats were; "": that is not known. Both runs differ from the machine's mean, so
// that their difference scatters by the root of 2 more than one.
func betweenRuns(c *record.Calibration, name string, repeats view.Stat, write func(float64) string) string {
	f, known := figure.Of(name)
	if !known || c == nil || !(repeats.Median > 0) {
		return ""
	}
	s := between.OfDay(c, f)
	if s.Assumed || s.SD <= 0 {
		return ""
	}
	reach := math.Exp(math.Sqrt2 * stats.Reach(s.SD, s.DF))
	return write(min(repeats.Median/reach, repeats.Min)) + " to " + write(max(repeats.Median*reach, repeats.Max)) + " from run to run"
}

func interval(written string) string {
	if written == "" {
		return ""
	}
	return " (" + written + ")"
}

func searched(g view.GoalRate, u units.Rates) block.Line {
	if !g.Known {
		return block.Line{Lead: g.Title + " ", Figure: "not valid", Text: ": " + g.BoundsIn(u)}
	}
	rate := g.In(u)
	return block.Line{Lead: g.Title + " ", Figure: rate.Text + " " + u.Name(),
		Text: interval(units.OrElse(rate.Range, g.BoundsIn(u))) + ", " + g.Gbps.Text + " Gbit/s"}
}

// countless are the faults after which not even what arrived can be believed.
var countless = []record.Fault{record.FaultCounters, record.FaultHost, record.FaultWrong, record.FaultDUTEnded}

// bestInvalid is the most that arrived in a trial that is not valid: whatever kept it from being valid
// did not make packets arrive, so the UPF carries at least that.
func bestInvalid(h view.Headline, u units.Rates) []block.Line {
	spoiled := func(t *record.Trial) bool {
		return slices.ContainsFunc(t.Faults, func(f record.Fault) bool { return slices.Contains(countless, f) })
	}
	var best *record.Trial
	for _, t := range invalid(h, record.KindLoad) {
		if !spoiled(t) && t.RxPPS > 0 && (best == nil || t.RxPPS > best.RxPPS) {
			best = t
		}
	}
	if best == nil {
		return nil
	}
	return []block.Line{{Figure: "≥ " + u.Text(best.RxPPS), Text: ", in a trial that is not valid" + because(best)}}
}

// because names the first fault of a trial.
func because(t *record.Trial) string {
	if len(t.Faults) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", t.Faults[0], reason.Name(string(t.Faults[0])))
}

// limitedBy is what limited the rate that howFast gives. A reference has no limit to find: it is the limit
// of the bench.
func limitedBy(h view.Headline) []block.Line {
	switch {
	case h.UPF.Reference:
		return nil
	case h.NDR.Known && h.NDR.Used[0].Worth != view.Found:
		return []block.Line{{Figure: h.NDR.Note}}
	case h.NDR.Known:
		return []block.Line{limit(h.NDR.Limit())}
	case h.Best != nil:
		return []block.Line{limit(h.Best.Limit())}
	case h.NDR.Why != "":
		return []block.Line{{Text: h.NDR.Why}}
	}
	return nil
}

// limit names a limit, and what that makes of the rate; "dut/host" are those of several repeats.
func limit(l record.Limit) block.Line {
	var names, codes []string
	for _, one := range strings.Split(string(l), "/") {
		r, known := reason.Of(record.Limit(one).Code())
		if !known {
			return block.Line{Figure: view.LimitNote(false, l)}
		}
		names, codes = append(names, r.Name), append(codes, r.Code)
	}
	text := "; the UPF can do at least this"
	if l == record.LimitDUT {
		names[0], text = "the "+names[0], ""
	}
	return block.Line{Figure: strings.Join(names, " or "), Text: text + " (" + strings.Join(codes, ", ") + ")"}
}

// delaying are the faults that only add to the latency of packets: what was sent was sent as asked for,
// and was counted.
var delaying = []record.Fault{record.FaultSteal, record.FaultThrottled, record.FaultCatchUp}

// lowest is the latency at the least load, of a trial of latency where one is valid, else of one of load.
func lowest(h view.Headline) *view.Row {
	if h.Lowest != nil {
		return h.Lowest
	}
	var least *view.Row
	for _, r := range h.UPF.Rows {
		if r.Kind == record.KindLoad && r.Direction == h.Direction && r.Valid() && r.Stat(view.LatencyOf(view.P50)).N > 0 &&
			(least == nil || view.OfferedPPS(r.All[0]) < view.OfferedPPS(least.All[0])) {
			least = r
		}
	}
	return least
}

// howLong is the latency at the least load; of a trial that is not valid an upper bound where all that is
// wrong with it adds to latency, and no packet counts as less than its own.
func howLong(v *view.Run, h view.Headline) []block.Line {
	if r := lowest(h); r != nil {
		of := func(name string, q func(*record.Latency) float64) string {
			if r.LatencySign(q) != "" {
				return ""
			}
			return interval(betweenRuns(v.Calibration, name, r.Stat(view.LatencyOf(q)), units.Time))
		}
		l := block.Line{Lead: "p50 ", Figure: r.LatencyText(view.P50), Text: fmt.Sprintf("%s, p99 %s%s at %s", of("latency.p50", view.P50),
			r.LatencyText(view.P99), of("latency.p99", view.P99), r.Load.String())}
		if r.Nearest != nil {
			l.Text += " (wire: p50 " + r.Nearest.LatencyText(view.P50) + ")"
		}
		return []block.Line{l}
	}
	bounded := func(t *record.Trial) bool {
		l := t.Latency
		return l != nil && l.P99 > 0 && !l.AtLeast(float64(l.P99)) && len(t.Faults) > 0 &&
			!slices.ContainsFunc(t.Faults, func(f record.Fault) bool { return !slices.Contains(delaying, f) })
	}
	var least *record.Trial
	for _, t := range invalid(h, record.KindLatency) {
		if bounded(t) && (least == nil || view.OfferedPPS(t) < view.OfferedPPS(least)) {
			least = t
		}
	}
	if least == nil {
		return nil
	}
	return []block.Line{{Lead: "p50 ", Figure: "≤ " + units.Time(float64(least.Latency.P50)),
		Text: fmt.Sprintf(", p99 ≤ %s at %s, in a trial that is not valid%s", units.Time(float64(least.Latency.P99)),
			least.Load.String(), because(least))}}
}

// invalid are the trials of a kind in the direction of a headline that are not valid.
func invalid(h view.Headline, kind record.Kind) (list []*record.Trial) {
	for _, r := range h.UPF.Rows {
		if r.Kind != kind || r.Direction != h.Direction {
			continue
		}
		for _, t := range r.All {
			if !t.Valid {
				list = append(list, t)
			}
		}
	}
	return list
}

// howMuch is the load that is safe for an operator: that of a stress study, for each class of traffic.
// Where none was asked for it is the highest load up to which nothing was lost.
func howMuch(v *view.Run, h view.Headline, u units.Rates) (lines []block.Line) {
	if h.UPF.Reference {
		return nil
	}
	for _, class := range classesOf(h.UPF) {
		if s, ok := safest(h.UPF, h.Direction, class); ok {
			l := safeLine(s, len(v.Host.Placement.DUT), u)
			l.Text += safeInterval(s, u)
			lines = append(lines, l)
		}
	}
	switch {
	case len(lines) > 0:
		return lines
	case study(h.UPF):
		return noneSafe(h, u)
	case h.NDR.Known:
		return []block.Line{{Text: "up to the non-drop rate; `upflab run stress` adds targets of latency"}}
	}
	most, of := lossless(h)
	if most == 0 {
		return nil
	}
	return []block.Line{{Lead: "up to ", Figure: u.Text(most),
		Text: fmt.Sprintf(" (under 3 in %s, 95 %%)", units.Count(of))}}
}

// noneSafe says why a study has no safe load: either no load keeps a target, which a valid trial of the
// lowest shows, or that cannot be told.
func noneSafe(h view.Headline, u units.Rates) []block.Line {
	told, bound := false, false
	for i := range h.UPF.SafeLoads {
		s := &h.UPF.SafeLoads[i]
		if s.Direction == h.Direction && s.Class == "" {
			if s.PPS <= 0 && s.EstimatePPS > 0 {
				return []block.Line{{Figure: "cannot tell", Text: ": " + s.Why}}
			}
			told, bound = told || h.UPF.Told(s), bound || s.Disturbed
		}
	}
	all, bad, disturbed, least := 0, 0, true, math.Inf(1)
	for _, r := range h.UPF.Rows {
		if r.Kind != record.KindLoad || r.Direction != h.Direction {
			continue
		}
		for _, t := range r.All {
			all++
			least = min(least, view.OfferedPPS(t))
			if !t.Valid {
				bad++
				disturbed = disturbed && (t.LimitedBy == record.LimitHost || t.LimitedBy == record.LimitGenerator)
			}
		}
	}
	switch {
	case all == 0:
		return nil
	case told:
		return []block.Line{{Text: "no load keeps the targets, not even the lowest, " + u.Text(least)}}
	case bound && bad == 0:
		return []block.Line{{Figure: "cannot tell", Text: ": even the lowest load, " + u.Text(least) + ", was disturbed"}}
	}
	why := "were not valid"
	if disturbed {
		why = "were disturbed"
	}
	return []block.Line{{Figure: "cannot tell", Text: fmt.Sprintf(": %d of %d trials %s", bad, all, why)}}
}

// lossless is up to which load nothing was lost, packets/s sent: no trial with that load or a lower
// one lost a packet, valid or not, and one with that load is valid. It is 0 where there is none. Of how many packets
// that load was: where none of n is lost, the loss is under 3 in n with 95 % confidence (the rule of three).
func lossless(h view.Headline) (most float64, of uint64) {
	var rows []*view.Row
	for _, r := range h.UPF.Rows {
		if r.Kind == record.KindLoad && r.Direction == h.Direction {
			rows = append(rows, r)
		}
	}
	sent := func(trials []*record.Trial) (pps float64) {
		for _, t := range trials {
			pps += t.TxPPS / float64(len(trials))
		}
		return pps
	}
	slices.SortStableFunc(rows, func(a, b *view.Row) int { return cmp.Compare(sent(a.All), sent(b.All)) })
	for _, r := range rows {
		if slices.ContainsFunc(r.All, func(t *record.Trial) bool { return t.FrameLossRatio > 0 }) {
			break
		}
		if pps := sent(r.Used); r.Valid() && pps > most {
			most, of = pps, 0
			for _, t := range r.Used {
				of += t.TxPackets
			}
		}
	}
	return most, of
}

func safeInterval(s record.SafeLoad, u units.Rates) string {
	if s.HighPPS <= 0 || s.AtLeast || s.Disturbed || s.Measured {
		return ""
	}
	return fmt.Sprintf(" (95 %% interval %s to %s)", u.Number(s.LowPPS), u.Text(s.HighPPS))
}
