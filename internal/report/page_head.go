package report

import (
	"math"

	"github.com/upflab/upflab/internal/result"
)

func newPageHead(h headline) pageHead {
	head := pageHead{
		DUT: h.DUT.Label, Color: h.DUT.Color, Version: h.DUT.Version, State: h.DUT.state(), Problem: problem(h.DUT),
		Reference: h.DUT.Reference, Measured: len(h.DUT.Trials) > 0,
	}
	if h.DUT.Reference && h.DUT.Version == "" {
		head.Version = "reference, no UPF"
	}
	for _, f := range h.Figures {
		one := pageFigures{figures: f, ShowProgram: f.ProgramNS.Text != notMeasured}
		if !math.IsNaN(f.OfWire) {
			one.Bar = int(math.Round(min(f.OfWire, 1) * 100))
		}
		head.Figures = append(head.Figures, one)
	}
	return head
}

// problem is why a DUT is not well; "" when it is.
func problem(d dutView) string {
	switch {
	case d.Error != "":
		return printable(d.Error)
	case d.Status == result.StatusFailed:
		return "It failed; no reason was recorded."
	case d.Status == result.StatusInterrupted:
		return "The run was interrupted while or before this one was measured."
	default:
		return ""
	}
}
