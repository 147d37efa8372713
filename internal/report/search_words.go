package report

import (
	"fmt"
	"slices"
	"strings"
)

// searchTitle names what was searched. A standard's name stands at the results
// that may carry it.
func (v view) searchTitle() string {
	for _, d := range v.DUTs {
		for _, s := range d.Found {
			if s.Method != methodMLRsearch {
				return "Rates found by searches"
			}
		}
	}
	return "Non-drop rate and partial drop rate (MLRsearch)"
}

const methodMLRsearch = "mlrsearch"

// searchMethod names a method for people.
func searchMethod(method string) string {
	switch method {
	case methodMLRsearch:
		return "MLRsearch"
	case "binary":
		return "binary search"
	case "binary_loss_verification":
		return "binary search with loss verification"
	case methodLossCurve:
		return "frame loss curve"
	case methodBackToBack:
		return "back-to-back frames"
	}
	return orNone(method)
}

// TrialCount tells how many trials a search took.
func (s *searchView) TrialCount() int { return len(s.Search.Trials) }

// Took is how long a search lasted.
func (s *searchView) Took() string { return number(s.DurationS, "%.1f") }

// Range is what loads were searched.
func (s *searchView) Range() string {
	return fmt.Sprintf("%s to %s", Rate(s.MinPPS), Rate(s.MaxPPS))
}

// Name tells one search from the others of a direction.
func (s *searchView) Name() string {
	name := s.DUT
	if s.sized {
		name += ", " + s.SizeName()
	}
	if s.Repeat > 1 {
		name += fmt.Sprintf(", repeat %d", s.Repeat)
	}
	return name
}

// Named says whose name the search may carry, or what it lacks for one.
func (s *searchView) Named() string {
	switch {
	case s.Standard != "":
		return "a result by " + s.Standard
	case len(s.Missing) == 0:
		return "carries no standard's name"
	default:
		return "carries no standard's name, for it lacks: " + strings.Join(s.Missing, "; ")
	}
}

// About tells the circumstances of a search.
func (s *searchView) About() string {
	return fmt.Sprintf("%s, %s, preset %s, %s in %s s, loads from %s, frames of %d B as sent, %s", s.Name(), searchMethod(s.Method),
		orNone(s.Preset), plural(s.TrialCount(), "trial"), s.Took(), s.Range(), s.FrameBytes, plural(s.Sessions, "session"))
}

// words says in a sentence what a rate is: "2.31 Mpps (its own limit)".
func (f goalFigure) words(withBits bool) string {
	if !f.Known {
		return f.Title + " not valid"
	}
	text := f.Title + " " + f.Mpps.Text + " Mpps"
	if withBits {
		text += ", " + f.Gbps.Text + " Gbit/s"
	}
	return text + " (" + f.Note + ")"
}

// Nothing says why a search has no goal to show.
func (s *searchView) Nothing() string {
	return orElse(strings.Join(s.Search.Reasons, "; "), "the search gave no result and no reason")
}

// limitOf names what limited the goals, each limit once.
func limitOf(goals []goalView) string {
	var names []string
	for _, g := range goals {
		if g.LimitedBy != "" && !slices.Contains(names, g.LimitedBy) {
			names = append(names, g.LimitedBy)
		}
	}
	return orNone(strings.Join(names, "/"))
}
