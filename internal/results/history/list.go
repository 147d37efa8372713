package history

import (
	"cmp"
	"slices"
	"strings"
)

// Filter chooses runs and series; what is "" chooses all.
type Filter struct {
	Scenario string // name
	Machine  string // a part of its name
	DUT      string // name:mode, or the name alone
	Metric   string
}

func (f Filter) run(r *Run) bool {
	return (f.Scenario == "" || f.Scenario == r.Scenario) && (f.Machine == "" || strings.Contains(r.Machine, f.Machine)) && f.HasDUT(r)
}

// HasDUT reports whether a run has a DUT that is chosen.
func (f Filter) HasDUT(r *Run) bool {
	if f.DUT == "" {
		return true
	}
	for _, d := range r.DUTs {
		if f.dut(d.Label) {
			return true
		}
	}
	return false
}

func (f Filter) dut(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return f.DUT == "" || f.DUT == label || f.DUT == name
}

// Runs lists the runs, oldest first; those that cannot be read come first of all.
func (x *Index) Runs(f Filter) (list []*Run) {
	for _, e := range x.entries(f) {
		list = append(list, e.Run)
	}
	return list
}

// entries are those of the runs that a filter chooses, each run a copy for the caller.
func (x *Index) entries(f Filter) (list []entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.kept {
		if f == (Filter{}) || e.Run.Unreadable == "" && f.run(e.Run) {
			run := *e.Run
			e.Run = &run
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Run.Started.Unix(), b.Run.Started.Unix()), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// Changes counts how often an update changed the index: while it is the same, so is all that is
// in it.
func (x *Index) Changes() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.changes
}

// withReadings lists the runs that a filter chooses with the readings that it chooses.
func (x *Index) withReadings(f Filter) (runs []*Run) {
	for _, e := range x.entries(f) {
		for _, v := range e.Readings {
			if (v.Reference || f.dut(v.DUT)) && (f.Metric == "" || f.Metric == string(v.Metric)) {
				e.Run.readings = append(e.Run.readings, v)
			}
		}
		runs = append(runs, e.Run)
	}
	return runs
}
