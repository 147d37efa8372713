package report

import (
	"math"

	"github.com/upflab/upflab/internal/record"
)

func newPageHead(h headline) pageHead {
	head := pageHead{
		DUT: h.DUT.Label, Color: h.DUT.Color, Version: h.DUT.Version, State: h.DUT.state(), Problem: problem(h.DUT),
		Reference: h.DUT.Reference, Measured: len(h.DUT.Trials) > 0 || len(h.DUT.Searches) > 0,
	}
	if h.DUT.Reference && h.DUT.Version == "" {
		head.Version = "reference, no UPF"
	}
	for _, f := range h.Figures {
		one := pageFigures{figures: f, ShowProgram: f.ProgramNS.Text != notMeasured, ShowWire: showWire(h.DUT, f)}
		one.setBar()
		head.Figures = append(head.Figures, one)
	}
	return head
}

// showWire reports whether the reference's latency can stand beside a DUT's.
func showWire(d dutView, f figures) bool {
	return !d.Reference && f.Wire.Text != notMeasured && f.P50.Text != notMeasured
}

// setBar compares what the card shows large with the same of the reference.
func (f *pageFigures) setBar() {
	of := f.OfWire
	if f.NDR.Searched {
		of, f.OfNDR = f.NDROfWire, true
	}
	if !math.IsNaN(of) {
		f.Bar = int(math.Round(min(of, 1) * 100))
	}
}

// problem is why a DUT is not well; "" when it is.
func problem(d dutView) string {
	switch {
	case d.Error != "":
		return printable(d.Error)
	case d.Status == record.StatusFailed:
		return "It failed; no reason was recorded."
	case d.Status == record.StatusInterrupted:
		return "The run was interrupted while or before this one was measured."
	default:
		return ""
	}
}
