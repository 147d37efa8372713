package report

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

// sizeTitle parts the rows of one size from those of another.
func sizeTitle(t *record.Trial) string {
	if t.Mixed {
		return fmt.Sprintf("-- %s: a mixture, inner packets of %d B in the mean", t.SizeName(), t.InnerBytes)
	}
	return "-- " + t.SizeName()
}

// sizes is the overview of several sizes: a line for each size and DUT, rates in
// Mpps with Gbit/s behind.
func (t *text) sizes(v view) {
	what := "highest received"
	if v.Searched {
		what = "non-drop rate"
	}
	t.linef("%s, Mpps (Gbit/s)", what)
	t.linef("%s", sizeText("size", "UPF", v.Directions))
	for _, l := range v.sizeLines() {
		var cells []string
		for _, f := range l.Figures {
			mpps, gbps, _ := f.Rate()
			cells = append(cells, rateText(mpps, gbps))
		}
		size := ""
		if l.First {
			size = l.Size
		}
		t.linef("%s", sizeText(size, l.DUT.Label, cells))
	}
}

func rateText(mpps, gbps string) string {
	if gbps == notMeasured {
		return mpps
	}
	return fmt.Sprintf("%s (%s)", mpps, trimBound(gbps))
}

// sizeText is 100 characters with three directions.
func sizeText(size, dut string, cells []string) string {
	line := "  " + pad(size, 13, false) + " " + pad(dut, 15, false)
	for _, c := range cells {
		line += " " + pad(c, 21, true)
	}
	return line
}
