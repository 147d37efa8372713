// Package sequential looks at a run after each repeat and says whether it knows what it was made for: figures to a
// precision, or which of two UPFs is worse. Looks may be as many as there are repeats, since all that is said rests on
// confidence sequences and e-processes, which hold at all of them together. Its functions are pure.
package sequential

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// MostRepeats is how many repeats a run has at most that decides itself when to end: so many are planned.
const MostRepeats = 400

// LeastRepeats is the number below which nothing is known: a confidence sequence of a median needs eight values, and a
// decision six blocks of two repeats.
func LeastRepeats(decision bool) int {
	if decision {
		return 12
	}
	return 8
}

// futileFrom is the number of repeats from which more of them are not waited for where nothing that they change is open.
const futileFrom = 10

// Look brings what a run knows up to date, by its whole repeats, and says why it may end; "": it may not.
func Look(r *record.Result) record.Ending {
	u := r.Until
	whole := u.Repeats
	if u.Decided > 0 {
		whole -= whole % 2 // a block has two, also where the run ended in the middle of one
	}
	r = upTo(r, whole)
	switch n := len(measured(r)); {
	case n == 0, n < 2 && u.Decided > 0: // it failed
		return record.EndedFutile
	case u.Decided > 0:
		return decide(r)
	}
	u.Known = known(r)
	open := slices.ContainsFunc(u.Known, func(k record.KnownFigure) bool { return !k.Known && k.Why == "" })
	missed := slices.ContainsFunc(u.Known, func(k record.KnownFigure) bool { return !k.Known })
	switch {
	case len(u.Known) > 0 && !missed:
		return record.EndedKnown
	case !open && u.Repeats >= futileFrom:
		return record.EndedFutile
	}
	return ""
}

// upTo is a result with the trials of so many repeats: one that was cut short has some of another one.
func upTo(r *record.Result, repeats int) *record.Result {
	whole := *r
	whole.DUTs = slices.Clone(r.DUTs)
	for i := range whole.DUTs {
		d := &whole.DUTs[i]
		d.Trials = slices.DeleteFunc(slices.Clone(d.Trials), func(t record.Trial) bool { return t.Repeat > repeats })
	}
	return &whole
}

// measured are the DUTs that a run is about: the UPFs, or the reference where it measures nothing else.
func measured(r *record.Result) (list []*record.DUT) {
	alone := !slices.ContainsFunc(r.DUTs, func(d record.DUT) bool { return !d.Reference })
	for i := range r.DUTs {
		if d := &r.DUTs[i]; (alone || !d.Reference) && d.Status != record.StatusFailed {
			list = append(list, d)
		}
	}
	return list
}
