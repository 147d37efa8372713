package behaviour

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/block"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/sections/view"
)

// Findings is a line for each finding, to be pasted into a report to the UPF's
// developers.
func Findings(v *view.Run) block.Section {
	s := block.Section{Title: "Findings", Hint: "A line each, for a report to the UPF's developers. Packets of N3, N4 and N6 are in the capture that is named."}
	for _, d := range v.UPFs {
		var lines []string
		for i := range d.Cases {
			if c := &d.Cases[i]; c.Verdict.Bad() {
				lines = append(lines, block.Printable(Line(d, c)))
			}
		}
		if len(lines) > 0 {
			s.Blocks = append(s.Blocks, block.Section{Title: d.Label, Blocks: []block.Block{block.Code{Lines: lines}}})
		}
	}
	return s
}

// Line is a finding in one line.
func Line(d *view.UPF, c *record.Case) string {
	parts := []string{strings.TrimSpace(d.Label + " " + d.Version), c.ID + " (" + c.Clause + ")", view.VerdictWords(c.Verdict),
		"expected: " + c.Expected, "observed: " + c.Observed}
	if len(d.Features) > 0 && c.Verdict == record.VerdictRefusedWrongly {
		parts = append(parts, "announced: "+strings.Join(d.Features, " "))
	}
	switch {
	case c.Attack.Keeps():
		for _, e := range c.Attack.Ended {
			parts = append(parts, fmt.Sprintf("repeated by `upflab behaviour replay %s --dut %s`", e.File, d.Label))
		}
	case c.Capture != "":
		parts = append(parts, fmt.Sprintf("capture %s, case repeated by `upflab run behaviour --dut %s --case %s`", c.Capture, d.Label, c.ID))
	}
	return strings.Join(parts, "; ")
}

// Features is what the UPFs announced.
func Features(v *view.Run) block.Section {
	var list []block.Fact
	for _, d := range v.UPFs {
		if len(d.Cases) == 0 {
			continue
		}
		words := strings.Join(d.Features, " ")
		if words == "" {
			words = "none"
		}
		list = append(list, block.Fact{Name: d.Label, Value: words})
	}
	if len(list) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "UP function features announced", Blocks: []block.Block{block.Facts{List: list}}}
}
