package comparison

import (
	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// Families has a table for each UPF and family that a run compares with the first of its families.
func Families(v *view.Run) block.Section {
	s := block.Section{Title: "IP families", Hint: "A is the first family. Change: B against A in the same repeat, with its 95 % interval. " +
		"Families have the same payload, so packets of IPv6 are 20 bytes longer, and over an N3 of IPv6 the G-PDUs again."}
	var notes footnotes
	for _, d := range v.UPFs {
		for _, c := range familiesOf(v.Result, d.DUT) {
			for _, p := range c.Pairs {
				s.Blocks = append(s.Blocks, pair(c, p, &notes))
			}
		}
	}
	if doubts := notes.section(); len(s.Blocks) > 0 && len(doubts.Blocks) > 0 {
		s.Blocks = append(s.Blocks, doubts)
	}
	return s
}

// familiesOf are the comparisons of the other families of a DUT with its first.
func familiesOf(r *record.Result, d *record.DUT) (list []*compare.Comparison) {
	families := compare.FamiliesOf(d)
	if len(families) == 0 {
		return nil
	}
	in := compare.Input{Name: r.Run, Result: r}
	for _, other := range families[1:] {
		c, err := compare.Compare(in, in, compare.Options{DUT: compare.LabelIn(d.Name, d.Mode, families[0]),
			Against: compare.LabelIn(d.Name, d.Mode, other)})
		if err == nil { // a family of which nothing was measured has no table
			list = append(list, c)
		}
	}
	return list
}
