package compare

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// LabelIn is how a comparison calls a UPF with UEs and an N3 of one family, where a run measured several:
// "builtin@ipv6:xdp".
func LabelIn(name, mode, family string) string {
	return Label(&record.DUT{Name: name + "@" + family, Mode: mode})
}

// familyOf is the family that the name of a trial's size ends with, and the name without it; "": the run compares
// no families.
func familyOf(t *record.Trial) (size, family string) {
	if t.Families.Compared == "" {
		return t.Size, ""
	}
	return strings.TrimSuffix(t.Size, " "+t.Families.Compared), t.Families.Compared
}

// FamiliesOf are those that a run compares for a DUT, in the order of its scenario; nil: it compares none.
func FamiliesOf(d *record.DUT) (list []string) {
	for i := range d.Trials {
		if _, family := familyOf(&d.Trials[i]); family != "" {
			list = record.AppendNew(list, family)
		}
	}
	return list
}

// byFamily is a result in which each family of a DUT is a DUT of its own: builtin@ipv4, builtin@ipv6. Where a run
// compares none it is the result itself. It is for those who name a family: of two builds all families are compared at once.
func byFamily(r *record.Result) *record.Result {
	if !slices.ContainsFunc(r.DUTs, func(d record.DUT) bool { return len(FamiliesOf(&d)) > 0 }) {
		return r
	}
	split := *r
	split.DUTs = nil
	for i := range r.DUTs {
		d := &r.DUTs[i]
		families := FamiliesOf(d)
		if len(families) == 0 {
			split.DUTs = append(split.DUTs, *d)
		}
		for _, family := range families {
			split.DUTs = append(split.DUTs, ofFamily(d, family))
		}
	}
	return &split
}

// ofFamily is a DUT with the trials of one family, whose sizes are named as those of the others.
func ofFamily(d *record.DUT, family string) record.DUT {
	one := *d
	one.Name, one.Trials = d.Name+"@"+family, nil
	for _, t := range d.Trials {
		size, of := familyOf(&t)
		if of != family {
			continue
		}
		t.Size = size
		one.Trials = append(one.Trials, t)
	}
	return one
}
