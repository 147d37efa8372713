package compare

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// leaveOut says which trials of one side have no part in the comparison.
func (c *Comparison) leaveOut(side string, d *record.DUT, all, alone []group) {
	var names []string
	for _, g := range alone {
		names = append(names, g.name())
	}
	if len(names) > 0 && !d.Reference {
		c.LeftOut = append(c.LeftOut, fmt.Sprintf("%s only in %s: %s", Label(d), side, strings.Join(names, ", ")))
	}
	for _, g := range all {
		for _, why := range g.invalid() {
			c.LeftOut = append(c.LeftOut, fmt.Sprintf("%s in %s, %s, %s", Label(d), side, g.name(), why))
		}
	}
}

// invalid says which repeats are not valid and why, those with the same reasons
// together.
func (g group) invalid() []string {
	repeats := map[string]string{}
	var order []string
	for _, t := range g.Invalid {
		why := reasons(t)
		if repeats[why] == "" {
			order = append(order, why)
			repeats[why] = fmt.Sprintf("repeat %d", t.Repeat)
			continue
		}
		repeats[why] += fmt.Sprintf(", %d", t.Repeat)
	}
	for i, why := range order {
		order[i] = repeats[why] + ": not valid: " + why
	}
	return order
}

// strangers are the UPFs that only one result has, unless the user chose.
func strangers(in inputs, o Options) []string {
	if o.DUT != "" || o.Against != "" {
		return nil
	}
	var list []string
	for _, side := range []struct {
		name         string
		have, lookIn *record.Result
	}{{"A", in.a.Result, in.b.Result}, {"B", in.b.Result, in.a.Result}} {
		for i := range side.have.DUTs {
			d := &side.have.DUTs[i]
			if !d.Reference && byLabel(side.lookIn, Label(d)) == nil {
				list = append(list, fmt.Sprintf("%s is only in %s", Label(d), side.name))
			}
		}
	}
	return list
}

func reasons(t *record.Trial) string {
	if len(t.Reasons) == 0 {
		return "no reason was given"
	}
	return strings.Join(t.Reasons, "; ")
}

// incomparable says why two DUTs cannot be compared at all; "" when they can.
func incomparable(p dutPair, a, b []group) string {
	if p.reference() {
		return ""
	}
	if why := nothing(p.A, a); why != "" {
		return fmt.Sprintf("%s in A: %s", Label(p.A), why)
	}
	if why := nothing(p.B, b); why != "" {
		return fmt.Sprintf("%s in B: %s", Label(p.B), why)
	}
	return ""
}

// nothing says why a DUT has no valid trial; "" when it has.
func nothing(d *record.DUT, groups []group) string {
	for _, g := range groups {
		if len(g.Valid) > 0 {
			return ""
		}
	}
	switch {
	case d.Error != "":
		return d.Error
	case len(groups) > 0:
		return "none of its trials is valid"
	case d.Status == record.StatusInterrupted:
		return "the run was interrupted before its first trial"
	}
	return "it has no trial"
}
