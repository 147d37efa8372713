package cli

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/units"
)

// findingsOf is the outcome of a run of cases that finished: findings are not a failure of the run,
// but a gate has to see them.
func findingsOf(r *record.Result) error {
	n, causes := 0, 0
	for _, d := range r.DUTs {
		causes += len(d.Causes)
		for _, c := range d.Cases {
			if c.Verdict.Bad() {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	return findingsError{n, causes}
}

// findingsError ends a run of cases that has findings.
type findingsError struct{ findings, causes int }

func (e findingsError) Error() string {
	return fmt.Sprintf("%s with %s: the report has a line for each cause", units.Plural(e.findings, "finding"), units.Plural(e.causes, "cause"))
}
