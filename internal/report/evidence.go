package report

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// evidenceRow is what the verdict on one trial rests on, in words.
type evidenceRow struct {
	DUT, Color, Name string
	Repeat           int
	Cells            []string
}

// notTold stands where the machine, or the DUT, does not tell.
const notTold = "not told"

// evidenceHeads name the cells of an evidenceRow.
func evidenceHeads() []string {
	return []string{"Sent of intended (%)", "Late slots (%)", "Lateness p99 (µs)", "Stalls", "Generator busy (%)", "Ring before the UPF: lost",
		"Sink's backlog: lost", "UPF's CPUs busy (%)", "by others (%)", "Useful work (%)", "Run-queue delay (%)", "Context switches/s",
		"Steal (%)", "CPU (MHz)", "Wire received (kpps)", "Clocks"}
}

// evidences lists the trials that say what their verdicts rest on.
func (v view) evidences() []evidenceRow {
	var rows []evidenceRow
	for _, one := range v.verdicts() {
		if one.Evidence != nil {
			rows = append(rows, evidenceRow{DUT: one.DUT, Color: one.Color, Name: one.name(), Repeat: one.Repeat, Cells: evidenceCells(one.Evidence)})
		}
	}
	return rows
}

func evidenceCells(e *record.Evidence) []string {
	share := func(v float64) string { return fmt.Sprintf("%.4g", 100*v) }
	return []string{
		share(e.TxRatio), share(e.LateRatio), fmt.Sprintf("%.3g", float64(e.LatenessP99NS)/1e3), count(e.Stalls), share(e.GeneratorBusy),
		count(e.RingDrops), count(e.SinkDrops), share(e.CoreBusy), share(e.Others), told(e.Useful, 100), share(e.RunQueueDelay),
		count(uint64(e.SwitchesPerS)), share(e.StealRatio), told(e.FrequencyMHz, 1), told(e.WireRxPPS, 1e-3), clocks(e),
	}
}

func told(v *float64, scale float64) string {
	if v == nil {
		return notTold
	}
	return fmt.Sprintf("%.4g", *v*scale)
}

// clocks tells what happened to the machine's clocks.
func clocks(e *record.Evidence) string {
	var words []string
	if e.ClockStepS != 0 {
		words = append(words, fmt.Sprintf("set by %+.3g s", e.ClockStepS))
	}
	if e.SuspendedS != 0 {
		words = append(words, fmt.Sprintf("asleep for %.3g s", e.SuspendedS))
	}
	if len(words) == 0 {
		return "steady"
	}
	return strings.Join(words, ", ")
}
