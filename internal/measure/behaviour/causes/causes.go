// Package causes brings the findings of a run back to their causes: one fault of a UPF shows in many
// cases, and a list of eighty findings names none of it.
//
// A finding is explained by another one in two ways. Faults of packets show in whatever case looks at
// them: findings with such a symptom have one cause, named by the case that asks for just that. And a
// case can only be enforced if others are, on which it rests: a second gate of a QER says nothing
// while the first one is ignored.
package causes

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// Of gives the causes of a UPF's findings, in the order of their cases.
func Of(list []record.Case) (causes []record.Cause) {
	f := findings{}
	for i := range list {
		if list[i].Verdict.Bad() {
			f = append(f, &list[i])
		}
	}
	at := map[string]int{}
	for _, c := range f {
		if f.root(c) == c {
			at[c.ID] = len(causes)
			causes = append(causes, record.Cause{Case: c.ID, Symptom: c.Symptom})
		}
	}
	for _, c := range f {
		if root := f.root(c); root != c {
			cause := &causes[at[root.ID]]
			cause.Explains = append(cause.Explains, c.ID)
		}
	}
	return causes
}

// findings are the cases that have one.
type findings []*record.Case

// root follows what explains a finding to its end. Of findings that explain each other it is the first.
func (f findings) root(c *record.Case) *record.Case {
	way := []*record.Case{c}
	for {
		next := f.explains(c)
		if next == nil {
			return c
		}
		if at := slices.Index(way, next); at >= 0 {
			return f.first(way[at:])
		}
		c = next
		way = append(way, c)
	}
}

// first is the one that comes first in the run.
func (f findings) first(list []*record.Case) *record.Case {
	return f[slices.IndexFunc(f, func(c *record.Case) bool { return slices.Contains(list, c) })]
}

// explains is the finding that explains another one; nil: it has a cause of its own.
func (f findings) explains(c *record.Case) *record.Case {
	if head := f.head(c); head != c {
		return head
	}
	for _, r := range rests {
		if !matches(r.row, c.ID) || len(r.symptoms) > 0 && !slices.Contains(r.symptoms, c.Symptom) {
			continue
		}
		for _, other := range f {
			if other != c && (other.ID == r.on || strings.Contains(r.on, "*") && matches(r.on, other.ID)) && r.fits(c, other) {
				return other
			}
		}
	}
	return nil
}

// head is the finding that names the fault which a finding shows in its packets: that of the case
// which asks for just that, or else the first.
func (f findings) head(c *record.Case) *record.Case {
	key := pervades(c)
	if key == "" {
		return c
	}
	var first *record.Case
	for _, other := range f {
		if pervades(other) != key {
			continue
		}
		if other.ID == names[c.Symptom] {
			return other
		}
		if first == nil {
			first = other
		}
	}
	return first
}

// pervades is a key that findings of one cause share wherever they show; "": it has none.
func pervades(c *record.Case) string {
	switch {
	case c.Symptom == "died":
		return c.Symptom + c.Observed
	case c.Symptom == "refused":
		return c.Symptom + c.Cause + c.Expected
	case pervasive(c.Symptom):
		return c.Symptom
	}
	return ""
}

// matches compares an ID with a pattern: itself, a group of it, or with a * for one part or more.
func matches(pattern, id string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return id == pattern || strings.HasPrefix(id, pattern+".")
	}
	return len(id) > len(before)+len(after) && strings.HasPrefix(id, before) && strings.HasSuffix(id, after)
}
