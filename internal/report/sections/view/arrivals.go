package view

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// arrivalsOf lists the arrival processes of a result's trials, constant gaps ("") first.
func arrivalsOf(r *record.Result) (list []string) {
	eachTrial(r, func(t *record.Trial) {
		if process := t.Stream().Arrivals; !slices.Contains(list, process) {
			list = append(list, process)
		}
	})
	slices.Sort(list)
	return list
}

// onlyArrivals is a result with the trials, models and safe loads of one arrival process.
func onlyArrivals(r *record.Result, process string) *record.Result {
	one := *r
	one.DUTs = slices.Clone(r.DUTs)
	for i := range one.DUTs {
		d := &one.DUTs[i]
		d.Trials = slices.DeleteFunc(slices.Clone(d.Trials), func(t record.Trial) bool { return t.Stream().Arrivals != process })
		d.Models = slices.DeleteFunc(slices.Clone(d.Models), func(m record.Model) bool { return m.Arrivals != process })
		d.SafeLoads = slices.DeleteFunc(slices.Clone(d.SafeLoads), func(s record.SafeLoad) bool { return s.Arrivals != process })
	}
	return &one
}

// splitArrivals makes a run of each arrival process, where there are several: no figure
// mixes them.
func (v *Run) splitArrivals() {
	processes := arrivalsOf(v.Result)
	if len(processes) < 2 {
		return
	}
	for _, d := range v.UPFs {
		d.mixedArrivals = true
	}
	for _, process := range processes {
		one := whole(onlyArrivals(v.Result, process))
		one.Size, one.Arrivals, one.share = v.Size, record.ArrivalsTitle(process), v.share*len(processes)
		one.HasReference, one.Searched, one.Repeated = v.HasReference, v.Searched, v.Repeated
		v.ByArrivals = append(v.ByArrivals, one)
	}
}
