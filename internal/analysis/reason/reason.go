// Package reason names everything that can be the matter with a figure: why a trial or a search is not
// valid, what limited it, and what to keep in mind. Each has one code, as result.json has it, one short
// name, a cause and a fix. The report, `upflab explain` and docs/troubleshooting.md all read this table.
package reason

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/text/spelling"
)

// Kind is what a reason means for the figure.
type Kind string

// The kinds.
const (
	NotValid  Kind = "not valid"  // the trial or search does not measure what it was meant to
	LimitedBy Kind = "limited by" // what kept the figure from being higher
	Doubt     Kind = "doubt"      // the figure counts; keep this in mind
)

// Reason is one entry.
type Reason struct {
	Code     string // in result.json, in tables and for `upflab explain`
	Name     string // a few words, for summaries
	Kind     Kind
	Sentence string // what it says
	Cause    string // where it comes from
	Fix      string // what you can do
}

// entries makes entries of a kind, for codes of one type of record.
func entries[C ~string](k Kind) func(code C, name, sentence, cause, fix string) Reason {
	return func(code C, name, sentence, cause, fix string) Reason {
		return Reason{string(code), name, k, sentence, cause, fix}
	}
}

// Of is the entry of a code; hyphens may stand for underscores.
func Of(code string) (Reason, bool) {
	code = strings.ReplaceAll(strings.ToLower(code), "-", "_")
	all := All()
	i := slices.IndexFunc(all, func(r Reason) bool { return r.Code == code })
	if i < 0 {
		return Reason{}, false
	}
	return all[i], true
}

// Name is the short name of a code; the code itself where the table lacks it, as of a newer upflab.
func Name(code string) string {
	if r, known := Of(code); known {
		return r.Name
	}
	return strings.ReplaceAll(code, "_", " ")
}

// Suggest is " (did you mean ...?)" for a code that is not in the table.
func Suggest(code string) string {
	var codes []string
	for _, r := range All() {
		codes = append(codes, r.Code)
	}
	return spelling.DidYouMean(strings.ReplaceAll(code, "-", "_"), codes)
}

// All lists the reasons: those of trials first, then those of searches.
func All() []Reason { return slices.Concat(faults(), limits(), doubts(), ofSearches()) }
