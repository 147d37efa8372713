package modelling

import (
	"errors"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

// Study fits models to the DUTs of a stress study and finds their safe loads. Why there
// is none for a direction is written next to them; all that was measured stays.
func Study(r *record.Result, o Options) {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		if d.Reference || d.Stress == nil {
			continue
		}
		d.Stress.ServiceTimes = serviceTimes(d)
		for _, f := range Fit(d, o) {
			d.Stress.AddProblem(f.problem())
			if f.Err != nil || f.Result.Chosen < 0 {
				d.SafeLoads = slices.DeleteFunc(d.SafeLoads, f.owns)
				d.SafeLoads = append(d.SafeLoads, f.measuredSafeLoads(o.Targets)...)
			}
		}
		for _, s := range unfitted(d) {
			d.Stress.AddProblem(fmt.Sprintf("%s: no model and no safe load, because no trial was valid; see the reasons of each trial", StreamName(s)))
		}
	}
}

// owns reports whether a safe load is of the stream.
func (f Found) owns(s record.SafeLoad) bool {
	return s.Class == f.Class && s.Direction == f.Stream.Direction && s.Size == f.Stream.Size && s.Arrivals == f.Stream.Arrivals
}

// StreamName names what a model is of: "uplink, Poisson arrivals".
func StreamName(s record.Stream) string {
	return string(s.Direction) + ", " + record.ArrivalsTitle(s.Arrivals)
}

// problem is why a stream has no chosen model, and what to do; "" where it has one.
func (f Found) problem() string {
	name := StreamName(f.Stream)
	if f.Class != "" {
		name += ", " + f.Class
	}
	switch {
	case f.Err == nil && f.Result.Chosen >= 0:
		return ""
	case f.Err == nil:
		return name + ": no model fits, so that safe loads are those measured; why each was rejected is listed with the models"
	case errors.Is(f.Err, queueing.ErrSaturated):
		return name + ": no model, because the UPF is saturated at every load; add lower loads"
	case errors.Is(f.Err, queueing.ErrNeverLoaded):
		return name + ": no model, because no load makes packets wait; add higher loads"
	case errors.Is(f.Err, queueing.ErrAllLost):
		return name + ": no model and no safe load, because all packets were lost at every load; see where they were lost"
	case errors.Is(f.Err, queueing.ErrFewLoads):
		return name + ": no model, because too few loads have valid trials: measure at four or more"
	}
	return fmt.Sprintf("%s: no model: %v", name, f.Err)
}

// unfitted are the streams of which no trial can be used.
func unfitted(d *record.DUT) (list []record.Stream) {
	used := streams(d)
	for i := range d.Trials {
		if s := d.Trials[i].Stream(); s.Direction != record.Both && !slices.Contains(used, s) && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
