package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// keyOf is the trial's key. A share of another DUT's rate is known by the rate that
// it came to: it is another load in another run.
func keyOf(t *record.Trial) record.Key {
	if t.Load.OfDUT != "" {
		return t.KeyAtRate()
	}
	return t.Key()
}

// group is the repeats of one trial of one DUT.
type group struct {
	record.Key
	Name    string // of the load, for readers
	Valid   []*record.Trial
	Invalid []*record.Trial
	widths  map[*record.Trial]float64
}

// name is "uplink 150k", "uplink latency 1k".
func (g group) name() string { return Where(g.Kind, g.Direction, g.Name) }

// Where names a trial for a reader: "uplink 150k", "uplink latency 1k".
func Where(kind record.Kind, direction record.Direction, load string) string {
	switch kind {
	case record.KindLatency:
		return fmt.Sprintf("%s latency %s", direction, load)
	case record.KindSearch:
		return fmt.Sprintf("%s search %s", direction, load)
	}
	return strings.TrimSpace(string(direction) + " " + load)
}

// groupsOf sorts the trials of a DUT, in order of first appearance.
func groupsOf(d *record.DUT) []group {
	var groups []group
	trials, widths := trialsOf(d)
	for _, t := range trials {
		at := slices.IndexFunc(groups, func(g group) bool { return g.Key == keyOf(t) })
		if at < 0 {
			groups = append(groups, group{Key: keyOf(t), Name: nameOf(t), widths: widths})
			at = len(groups) - 1
		}
		if t.Valid {
			groups[at].Valid = append(groups[at].Valid, t)
		} else {
			groups[at].Invalid = append(groups[at].Invalid, t)
		}
	}
	tellApart(groups)
	return groups
}

// nameOf is the load of a trial, or what was counted.
func nameOf(t *record.Trial) string {
	switch {
	case t.Counted == nil:
		return t.Load.String()
	case t.Counted.Procedure != "":
		return t.Counted.Procedure
	}
	return "a packet"
}

// tellApart adds size, arrivals and sessions to the names of loads that differ only in them.
func tellApart(groups []group) {
	for i, g := range groups {
		if only(groups, func(o group) bool { return o.Bare() == g.Bare() }) {
			continue
		}
		groups[i].Name += ", " + sizeWords(g)
		arrivals := func(o group) bool { return o.Bare() == g.Bare() && o.Size == g.Size && o.Arrivals != g.Arrivals }
		if slices.ContainsFunc(groups, arrivals) {
			groups[i].Name += ", " + record.ArrivalsTitle(g.Arrivals)
		}
		sessions := func(o group) bool { return o.Bare() == g.Bare() && o.Size == g.Size && o.Sessions != g.Sessions }
		if slices.ContainsFunc(groups, sessions) {
			groups[i].Name += fmt.Sprintf(", sessions %d", g.Sessions)
		}
	}
}

// sizeWords names a size: "frame:512", and a payload with its unit.
func sizeWords(g group) string {
	if g.Size == fmt.Sprint(g.Payload) {
		return fmt.Sprintf("%d B", g.Payload)
	}
	return g.Size
}

// groupPair is the same trial on both sides.
type groupPair struct{ A, B group }

// match pairs groups by kind, direction and load; by size and sessions too,
// unless each side has only one of that kind, direction and load. The rest is
// only in A or only in B.
func match(a, b []group) (pairs []groupPair, onlyA, onlyB []group) {
	for _, g := range a {
		if at := partner(g, a, b); at >= 0 {
			pairs = append(pairs, groupPair{g, b[at]})
		} else {
			onlyA = append(onlyA, g)
		}
	}
	for _, g := range b {
		if partner(g, b, a) < 0 {
			onlyB = append(onlyB, g)
		}
	}
	return pairs, onlyA, onlyB
}

// partner finds the group of theirs that g, one of ours, is compared with; -1
// when there is none.
func partner(g group, ours, theirs []group) int {
	same := func(o group) bool { return o.Key == g.Key }
	alike := func(o group) bool { return o.Bare() == g.Bare() }
	if at := slices.IndexFunc(theirs, same); at >= 0 {
		return at
	}
	if only(ours, alike) && only(theirs, alike) {
		return slices.IndexFunc(theirs, alike)
	}
	return -1
}

func only(groups []group, is func(group) bool) bool {
	first := slices.IndexFunc(groups, is)
	return first >= 0 && !slices.ContainsFunc(groups[first+1:], is)
}

// trialOf finds the valid trial of a DUT that was taken in the same repeat and
// with the same load as t; nil when there is none.
func trialOf(d *record.DUT, t *record.Trial) *record.Trial {
	if d == nil {
		return nil
	}
	if t.Kind == record.KindSearch {
		return foundInRepeat(d, t)
	}
	for i := range d.Trials {
		o := &d.Trials[i]
		if o.Valid && o.Repeat == t.Repeat && sameTrial(o, t) {
			return o
		}
	}
	return nil
}

// sameTrial reports whether two trials are the same. A share of a rate of one DUT is
// another load than the same share of another's: then the rate itself counts.
func sameTrial(o, t *record.Trial) bool {
	if t.Load.Relative() {
		return o.KeyAtRate() == t.KeyAtRate()
	}
	return keyOf(o) == keyOf(t)
}
