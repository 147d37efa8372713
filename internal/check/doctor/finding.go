package doctor

import (
	"fmt"

	"github.com/upflab/upflab/internal/text/units"
)

// State of a finding.
type State string

// The states. A run needs what is missing; it can do without what has a
// warning, but its numbers suffer.
const (
	OK      State = "ok"
	Warn    State = "warn"
	Missing State = "missing"
	Untried State = "untried" // not checked, because something else is missing
	Busy    State = "busy"    // not decided, because others use the machine now
	Info    State = "info"    // good to know, neither good nor bad
)

// Finding is what one check found.
type Finding struct {
	Group  string
	Name   string
	State  State
	Detail string // what there is
	Fix    string // how to get or improve it; "" when there is nothing to do
}

// Summary counts findings by state.
type Summary map[State]int

// Add counts a finding.
func (s Summary) Add(f Finding) { s[f.State]++ }

// Ready reports whether everything that a run needs is there.
func (s Summary) Ready() bool { return s[Missing]+s[Untried] == 0 }

// String is one line for people.
func (s Summary) String() string {
	const there = "everything that `upflab run` needs is there"
	if s.Ready() && s[Busy] > 0 {
		return fmt.Sprintf("ready, as far as the busy machine shows: %s left open; call this again when nothing else runs",
			units.Plural(s[Busy], "check"))
	}
	switch missing, untried, warnings := s[Missing], s[Untried], s[Warn]; {
	case missing > 0 && untried > 0:
		return fmt.Sprintf("not ready: of what `upflab run` needs, %d missing and %d not tried", missing, untried)
	case missing > 0:
		return fmt.Sprintf("not ready: of what `upflab run` needs, %d missing", missing)
	case untried > 0:
		return fmt.Sprintf("not ready: of what `upflab run` needs, %d not tried", untried)
	case warnings > 1:
		return fmt.Sprintf("ready: %s; %d warnings", there, warnings)
	case warnings == 1:
		return "ready: " + there + "; 1 warning"
	}
	return "ready: " + there
}

// untried is the finding of a check that root alone can make.
func untried(name string) Finding {
	return Finding{Name: name, State: Untried, Detail: "needs root to be tried"}
}

// failed is the finding of a thing that was tried in vain.
func failed(name string, err error, fix string) Finding {
	return Finding{Name: name, State: Missing, Detail: err.Error(), Fix: fix}
}
