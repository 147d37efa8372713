package trials

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// notReported is in place of what the machine, or the UPF, does not report.
const notReported = "not reported"

// Evidence is what the verdicts rest on.
func Evidence(v *view.Run) block.Section {
	all := slices.DeleteFunc(v.Verdicts(), func(t view.Verdict) bool { return t.Evidence == nil })
	if len(all) == 0 {
		return block.Section{}
	}
	t := eachTrial(all, evidenceColumns(), func(t view.Verdict) []block.Cell {
		return block.Cells(append(evidence(t.Evidence), excluded(t.Excluded)...)...)
	})
	return block.Section{Title: "Evidence of each trial", Fold: true, Only: block.Pages, Blocks: []block.Block{t},
		Hint: "What the verdicts rest on. Run-queue delay: the share of the time that the UPF's thread that " +
			"waited most was ready to run and had no CPU. Generator to UPF and back: how long a cache line takes " +
			"from the one's CPU to the other's and back; a hypervisor that moves them apart makes it several " +
			"times as long, and all rates lower. Excluded: the share of the trial in which the machine was " +
			"disturbed; it is in no rate, loss ratio or latency, while losses by place, CPU and all else here are of the whole trial."}
}

func evidenceColumns() []block.Column {
	return []block.Column{block.Number("Sent of intended", "%"), block.Number("Late slots", "%"),
		block.Number("Lateness p99", "µs"), block.Number("Stalls", ""),
		block.Number("Generator busy", "%"), block.Number("Ring before the UPF: lost", ""), block.Number("Sink's backlog: lost", ""),
		block.Number("UPF's CPUs busy", "%"), block.Number("by others", "%"), block.Number("Useful work", "%"),
		block.Number("Run-queue delay", "%"),
		block.Number("Context switches/s", ""), block.Number("Steal", "%"), block.Number("CPU", "MHz"),
		block.Number("Generator to UPF and back", "ns"), block.Number("Wire received", "kpps"), block.Words("Clocks"),
		block.Number("Excluded: disturbed", "%"), block.Words("Disturbed most by")}
}

func evidence(e *record.Evidence) []string {
	share := func(v float64) string { return fmt.Sprintf("%.4g", 100*v) }
	return []string{
		share(e.TxRatio), share(e.LateRatio), fmt.Sprintf("%.3g", float64(e.LatenessP99NS)/1e3), units.Count(e.Stalls), share(e.GeneratorBusy),
		units.Count(e.RingDrops), units.Count(e.SinkDrops), watched(e.CoreBusy, 100), watched(e.Others, 100), reported(e.Useful, 100),
		watched(e.RunQueueDelay, 100), switched(e), share(e.StealRatio), reported(e.FrequencyMHz, 1), reported(e.LineNS, 1),
		reported(e.WireRxPPS, 1e-3), clocks(e),
	}
}

// watched is a figure of the UPF's CPUs or threads; of a UPF that its operator placed none may be known.
func watched(v *float64, scale float64) string { return orWord(v, scale, units.None) }

func switched(e *record.Evidence) string {
	if e.SwitchesPerS == nil {
		return units.None
	}
	return units.Count(uint64(*e.SwitchesPerS))
}

func reported(v *float64, scale float64) string { return orWord(v, scale, notReported) }

// orWord is a figure, or a word in its place.
func orWord(v *float64, scale float64, word string) string {
	if v == nil {
		return word
	}
	return fmt.Sprintf("%.4g", *v*scale)
}

// excluded is how much of a trial does not count, and for whom.
func excluded(x *record.Excluded) []string {
	switch {
	case x == nil:
		return []string{"not watched", ""}
	case x.Void:
		return []string{"none", fmt.Sprintf("all but %.3g %% was disturbed, so everything counts", 100*(1-x.Ratio()))}
	case len(x.Causes) == 0:
		return []string{fmt.Sprintf("%.3g", 100*x.Ratio()), ""}
	}
	c := x.Causes[0]
	return []string{fmt.Sprintf("%.3g", 100*x.Ratio()), fmt.Sprintf("%s on CPU %d, %.3g s", units.OrElse(c.Who, c.Cause), c.CPU, c.Seconds)}
}

// clocks is what happened to the machine's clocks.
func clocks(e *record.Evidence) string {
	var words []string
	if e.ClockStepS != 0 {
		words = append(words, fmt.Sprintf("set by %+.3g s", e.ClockStepS))
	}
	if e.ThrottledS != 0 {
		words = append(words, fmt.Sprintf("stopped by a CPU limit for %.3g s", e.ThrottledS))
	}
	if e.SuspendedS != 0 {
		words = append(words, fmt.Sprintf("asleep for %.3g s", e.SuspendedS))
	}
	return units.OrElse(strings.Join(words, ", "), "steady")
}
