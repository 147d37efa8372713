package attack

import (
	"fmt"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/selection"
	"github.com/upflab/upflab/internal/text/units"
)

// Replay is the case that sends the inputs of a file.
func Replay(f *File, list []Input) b.Case {
	text := fmt.Sprintf("send %s that did harm to %s (%s)", units.Plural(len(list), "input"), f.UPF, f.Harm)
	return b.Case{ID: "replay", Title: f.Title, Clause: "TS 29.244 7.6; TS 33.117 4.4.4", Upsets: true,
		Steps: func(*b.Fixture) []b.Step { return []b.Step{played(text, list)} }}
}

// played is the step that sends kept inputs.
func played(text string, list []Input) b.Step {
	return b.Step{Text: text, Do: func(t *b.T) error {
		harm, err := play(t, list)
		if err != nil || harm == "" {
			return err
		}
		return &fail.Failure{Verdict: record.VerdictDied, Expected: "the UPF lives and forwards", Observed: harm}
	}}
}

// Select gives the cases with the IDs, or in the groups, that are named; all when none is.
func Select(o Options, names []string) ([]b.Case, error) {
	return selection.Of(Cases(o), func(c *b.Case) string { return c.ID }, "attack", names)
}
