package compare

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// key is what trials that repeat each other have in common.
type key struct {
	Kind      string
	Direction record.Direction
	PPS       float64 // 0: unpaced
	Name      string  // of a goal, or of a load that is a share of a rate found
	Size      string  // as the scenario writes it
	Payload   int     // bytes, of a mixture the mean
	Sessions  int
}

func keyOf(t *record.Trial) key {
	k := key{Kind: t.Kind, Direction: t.Direction, PPS: t.OfferedPPS, Size: t.SizeName(), Payload: t.PayloadBytes, Sessions: t.Sessions}
	if t.Kind == kindSearch || atShare(t) {
		k.PPS, k.Name = 0, t.Load
	}
	return k
}

// paced reports whether the load is not as fast as the generator can.
func (k key) paced() bool { return k.PPS > 0 || k.Name != "" }

// bare leaves out what may differ between results that are still compared.
func (k key) bare() key {
	k.Size, k.Payload, k.Sessions = "", 0, 0
	return k
}

// group is the repeats of one trial of one DUT.
type group struct {
	key
	Load    string
	Valid   []*record.Trial
	Invalid []*record.Trial
	widths  map[*record.Trial]float64
}

// name is "uplink 150k", "uplink latency 1k".
func (g group) name() string { return Where(g.Kind, string(g.Direction), g.Load) }

// Where names a trial for a reader: "uplink 150k", "uplink latency 1k".
func Where(kind, direction, load string) string {
	switch kind {
	case record.KindLatency:
		return fmt.Sprintf("%s latency %s", direction, load)
	case kindSearch:
		return fmt.Sprintf("%s search %s", direction, load)
	}
	return direction + " " + load
}

// groupsOf sorts the trials of a DUT, in order of first appearance.
func groupsOf(d *record.DUT) []group {
	var groups []group
	trials, widths := trialsOf(d)
	for _, t := range trials {
		at := slices.IndexFunc(groups, func(g group) bool { return g.key == keyOf(t) })
		if at < 0 {
			groups = append(groups, group{key: keyOf(t), Load: t.Load, widths: widths})
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

// tellApart adds size and sessions to the names of loads that differ only in them.
func tellApart(groups []group) {
	for i, g := range groups {
		if only(groups, func(o group) bool { return o.bare() == g.bare() }) {
			continue
		}
		groups[i].Load += ", " + sizeWords(g)
		sessions := func(o group) bool { return o.bare() == g.bare() && o.Size == g.Size && o.Sessions != g.Sessions }
		if slices.ContainsFunc(groups, sessions) {
			groups[i].Load += fmt.Sprintf(", sessions %d", g.Sessions)
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
	same := func(o group) bool { return o.key == g.key }
	alike := func(o group) bool { return o.bare() == g.bare() }
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
	if t.Kind == kindSearch {
		return foundBeside(d, t)
	}
	for i := range d.Trials {
		o := &d.Trials[i]
		if o.Valid && o.Repeat == t.Repeat && beside(o, t) {
			return o
		}
	}
	return nil
}

// beside reports whether two trials are the same. A share of a rate of one DUT is
// another load than the same share of another's: then the rate itself counts.
func beside(o, t *record.Trial) bool {
	if atShare(t) {
		return o.Kind == t.Kind && o.Direction == t.Direction && o.OfferedPPS == t.OfferedPPS && o.SizeName() == t.SizeName() && o.PayloadBytes == t.PayloadBytes
	}
	return keyOf(o) == keyOf(t)
}
