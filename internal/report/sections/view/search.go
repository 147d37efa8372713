package view

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// Search is a search of one UPF.
type Search struct {
	*record.Search
	UPF   *UPF
	Goals []Goal
}

// setSearches parts the searches for rates from the others.
func (d *UPF) setSearches() {
	for i := range d.Searches {
		s := &Search{Search: &d.Searches[i], UPF: d}
		for j := range s.Search.Goals {
			s.Goals = append(s.Goals, newGoal(s, &s.Search.Goals[j]))
		}
		if s.Method == record.MethodLossCurve || s.Method == record.MethodBackToBack {
			d.Others = append(d.Others, s)
		} else {
			d.Rates = append(d.Rates, s)
		}
	}
}

// RateSearches lists the searches for rates in a direction.
func (v *Run) RateSearches(direction record.Direction) (list []*Search) {
	for _, d := range v.UPFs {
		for _, s := range d.Rates {
			if s.Direction == direction {
				list = append(list, s)
			}
		}
	}
	return list
}

// OtherSearches lists those of a method that finds no rates, by direction.
func (v *Run) OtherSearches(method record.Method) (list []*Search) {
	for _, direction := range v.Directions {
		for _, d := range v.UPFs {
			for _, s := range d.Others {
				if s.Method == method && s.Direction == direction {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// InvalidGoals counts the goals that have no valid result, and all of them.
func (v *Run) InvalidGoals() (bad, all int) {
	for _, d := range v.UPFs {
		for _, s := range d.Rates {
			for _, g := range s.Goals {
				all++
				if !g.Valid {
					bad++
				}
			}
		}
	}
	return bad, all
}

// MethodName names a method for people.
func MethodName(method record.Method) string {
	switch method {
	case record.MethodMLRsearch:
		return "MLRsearch"
	case record.MethodBinary:
		return "binary search"
	case record.MethodLossVerification:
		return "binary search with loss verification"
	case record.MethodLossCurve:
		return "frame loss curve"
	case record.MethodBackToBack:
		return "back-to-back frames"
	}
	return units.OrNone(string(method))
}

// Name is what a search is called among those of a direction.
func (s *Search) Name() string {
	name := s.UPF.Label
	if s.UPF.Sized {
		name += ", " + s.SizeName()
	}
	if s.Repeat > 1 {
		name += fmt.Sprintf(", repeat %d", s.Repeat)
	}
	return name
}

// About gives the circumstances of a search, and the standard whose name its result
// may carry.
func (s *Search) About() string {
	return fmt.Sprintf("%s, %s, %s, preset %s, %s in %s s, loads from %s to %s, frames of %d B as sent, %s. %s", s.Direction, s.Name(),
		MethodName(s.Method), units.OrNone(s.Preset), units.Plural(len(s.Trials), "trial"), s.Took(), units.Rate(s.MinPPS), units.Rate(s.MaxPPS),
		s.FrameBytes, units.Plural(s.Sessions, "session"), s.standard())
}

// Took is how long a search lasted, s.
func (s *Search) Took() string { return units.Number(s.DurationS, "%.1f") }

// standard says whose name the search may carry, or what it lacks for one.
func (s *Search) standard() string {
	switch {
	case s.Standard != "":
		return "A result by " + s.Standard
	case len(s.Missing) == 0:
		return "No standard's name"
	}
	return "No standard's name, because it lacks: " + strings.Join(s.Missing, "; ")
}

// Why is why the search as a whole has no valid result; "" when it has.
func (s *Search) Why() string {
	if s.Valid {
		return ""
	}
	return units.OrElse(strings.Join(withCodes(s.Search.Reasons, s.ReasonCodes), "; "), "no reason was given")
}

// Limit names what lost packets.
func (s *Search) Limit() record.Limit { return units.OrNone(s.LimitedBy) }

// limits names what limited the goals, each limit once.
func limits(goals []Goal) record.Limit {
	return allLimits(goals, func(g Goal) record.Limit { return g.LimitedBy })
}
