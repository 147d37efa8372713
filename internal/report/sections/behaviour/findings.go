package behaviour

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/measure/behaviour/causes"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/plainyaml"
	"github.com/upflab/upflab/internal/text/units"
)

// Findings is a line for each cause of findings, to be pasted into a report to the UPF's developers.
// The findings that a cause explains are named under it, and their lines are folded.
func Findings(v *view.Run) block.Section {
	s := block.Section{Title: "Findings",
		Hint: "A line for each cause, for a report to the UPF's developers. Packets of N3, N4 and N6 are in the " +
			"capture that is named."}
	for _, d := range v.UPFs {
		var lines, folded []string
		for _, cause := range causesOf(d) {
			lines = append(lines, block.Printable(Line(v, d, d.Case(cause.Case))))
			if len(cause.Explains) == 0 {
				continue
			}
			lines = append(lines, fmt.Sprintf("    explains %s: %s",
				units.Plural(len(cause.Explains), "more finding"), strings.Join(cause.Explains, ", ")))
			for _, id := range cause.Explains {
				folded = append(folded, block.Printable(Line(v, d, d.Case(id))))
			}
		}
		if len(lines) == 0 {
			continue
		}
		blocks := []block.Block{block.Code{Lines: lines}}
		if len(folded) > 0 {
			blocks = append(blocks, block.Section{Title: "Findings of " + d.Label + " that others explain",
				Fold: true, Only: block.Pages, Blocks: []block.Block{block.Code{Lines: folded}}})
		}
		s.Blocks = append(s.Blocks, block.Section{Title: d.Label, Blocks: blocks})
	}
	return s
}

// causesOf are those that the result has, of findings that it has. A result from before there were
// causes has none: then each finding is one.
func causesOf(d *view.UPF) (list []record.Cause) {
	found := func(id string) bool { c := d.Case(id); return c != nil && c.Verdict.Bad() }
	for _, cause := range d.Causes {
		cause.Explains = slices.DeleteFunc(slices.Clone(cause.Explains), func(id string) bool { return !found(id) })
		if found(cause.Case) {
			list = append(list, cause)
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := range d.Cases {
		if d.Cases[i].Verdict.Bad() {
			list = append(list, record.Cause{Case: d.Cases[i].ID})
		}
	}
	return list
}

// Line is a finding in one line.
func Line(v *view.Run, d *view.UPF, c *record.Case) string {
	parts := []string{strings.TrimSpace(d.Label + " " + d.Version), heading(c), view.VerdictWords(c.Verdict),
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
		parts = append(parts, fmt.Sprintf("capture %s, shown without upflab by what `upflab behaviour report FOLDER --dut %[2]s --case %[3]s` writes, case repeated by `upflab run %[4]s --dut %[2]s --case %[3]s%[5]s`", c.Capture, d.Label, c.ID, scenarioOf(c), dialectsOf(v, c)))
	}
	return strings.Join(parts, "; ")
}

// scenarioOf is the scenario that has a case.
func scenarioOf(c *record.Case) string {
	switch group, _, _ := strings.Cut(c.ID, "."); group {
	case "mbr", "flows", "usage", "telemetry":
		return "qos-accuracy"
	case "interop":
		return "interop"
	}
	return "behaviour"
}

// dialectsOf is the option that names the files which a run had dialects from; "": upflab has those that it played.
func dialectsOf(v *view.Run, c *record.Case) string {
	var settings struct {
		Dialects []string `yaml:"dialects"`
	}
	err := plainyaml.Unmarshal([]byte(v.Settings), len(v.Settings), &settings)
	if scenarioOf(c) != "interop" || err != nil || len(settings.Dialects) == 0 {
		return ""
	}
	return " " + block.CommandLine([]string{"--set", "dialects=" + strings.Join(settings.Dialects, ",")})
}

// heading names a case with its clause, or with the case that asks for what went wrong in it, whose clause is another one.
func heading(c *record.Case) string {
	if asks := causes.Named(c.Symptom); asks != "" && asks != c.ID {
		return c.ID + ", which shows what " + asks + " asks for"
	}
	return c.ID + " (" + c.Clause + ")"
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
