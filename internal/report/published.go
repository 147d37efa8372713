package report

import (
	"cmp"
	"slices"

	"github.com/upflab/upflab/internal/published"
)

// publishedRule says what the figures of others are beside a result.
const publishedRule = "Figures of others, as their authors published them. They stand beside a figure of this run where UPF, mode, direction, " +
	"payload and number of sessions are the same and the load is within 5 %. Machine, version, tool and duration differ all the same: " +
	"what can be compared is what happens at a load, not who is faster. None of them is in another figure, median or chart of this report."

// publishedStudy is what one study has of the UPFs of a result.
type publishedStudy struct {
	published.Source
	Conditions []fact
	Remarks    []string
	Tables     []publishedTable // what can stand beside a figure of ours
	Apart      []publishedApart // what cannot
	Others     []string         // its UPFs that the result has not
}

// publishedTable is the measurements of one kind.
type publishedTable struct {
	Title string
	Heads []string // names of quantities
	Pairs []publishedPair
}

// publishedPair is a measurement of theirs and ours.
type publishedPair struct {
	DUT, Color, Direction    string
	TheirVersion, OurVersion string
	TheirLoad, OurLoad       string
	Theirs, Ours             []string // by quantity
	Limited, LimitClass      string   // ours
	Validity                 string
}

// publishedApart is a measurement that nothing of ours stands beside.
type publishedApart struct {
	DUT, Direction, What, Figures, Why, Validity string
}

// publish prepares the studies that measured some UPF of the result.
func (v view) publish(studies []published.Study) (all []publishedStudy) {
	for i := range studies {
		s := &studies[i]
		one := publishedStudy{Source: s.Source, Conditions: conditionFacts(s), Remarks: s.Remarks}
		for j := range s.Measurements {
			v.place(&one, s, &s.Measurements[j])
		}
		if len(one.Tables)+len(one.Apart) > 0 {
			all = append(all, one)
		}
	}
	// Those that can be compared come first.
	slices.SortStableFunc(all, func(a, b publishedStudy) int { return cmp.Compare(min(1, len(b.Tables)), min(1, len(a.Tables))) })
	return all
}

// place puts a measurement where it belongs.
func (v view) place(one *publishedStudy, s *published.Study, m *published.Measurement) {
	duts := v.measured(m)
	if len(duts) == 0 {
		if name := publishedLabel(m); !slices.Contains(one.Others, name) {
			one.Others = append(one.Others, name)
		}
		return
	}
	for _, d := range duts {
		r, why := d.comparable(s, m)
		if r == nil {
			one.Apart = append(one.Apart, newApart(d, m, why))
			continue
		}
		one.table(m.Kind).Pairs = append(one.table(m.Kind).Pairs, newPair(d, m, r))
	}
}

// measured are the UPFs of the result that a measurement is of: its mode where
// it is told, else each.
func (v view) measured(m *published.Measurement) (found []dutView) {
	for _, d := range v.DUTs {
		if m.Driver != "" && d.Name == m.Driver && (m.Mode == d.Mode || m.Mode == "") {
			found = append(found, d)
			if m.Mode == "" {
				return found // once is enough: it stands apart
			}
		}
	}
	return found
}

// table is that of a kind.
func (s *publishedStudy) table(kind string) *publishedTable {
	title := kindTitle(kind)
	for i := range s.Tables {
		if s.Tables[i].Title == title {
			return &s.Tables[i]
		}
	}
	t := publishedTable{Title: title}
	for _, q := range comparedQuantities(kind) {
		t.Heads = append(t.Heads, q.Name)
	}
	s.Tables = append(s.Tables, t)
	return &s.Tables[len(s.Tables)-1]
}

func newPair(d dutView, m *published.Measurement, r *row) publishedPair {
	p := publishedPair{
		DUT: d.Label, Color: d.Color, Direction: m.Direction, TheirVersion: orNone(m.Version), OurVersion: orNone(d.Version),
		TheirLoad: theirLoad(m), OurLoad: Rate(r.rate()), Limited: r.Limited, LimitClass: r.LimitClass, Validity: m.Validity,
	}
	for _, q := range comparedQuantities(m.Kind) {
		p.Theirs = append(p.Theirs, figureOf(m, q.Quantity))
		p.Ours = append(p.Ours, q.Ours(r))
	}
	return p
}

func newApart(d dutView, m *published.Measurement, why string) publishedApart {
	name := d.Label
	if m.Mode == "" {
		name = d.Name
	}
	return publishedApart{
		DUT: name, Direction: m.Direction, What: publishedWhat(m), Figures: figureList(m), Why: why, Validity: m.Validity,
	}
}
