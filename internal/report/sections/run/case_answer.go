package run

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// casesSentence counts a UPF's behaviour cases by verdict.
func casesSentence(d *view.UPF) string {
	count := map[record.Verdict]int{}
	for _, c := range d.Cases {
		count[c.Verdict]++
	}
	parts := []string{fmt.Sprintf("%d of %d cases enforced", count[record.VerdictEnforced], len(d.Cases))}
	for _, v := range record.Verdicts()[1:] {
		if n := count[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, view.VerdictWords(v)))
		}
	}
	if n := len(d.Causes); n > 0 {
		parts = append(parts, units.Plural(n, "cause")+" of the findings")
	}
	return strings.Join(parts, ", ")
}
