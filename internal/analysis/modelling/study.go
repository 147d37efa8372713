package modelling

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

// Study fits models to the DUTs of a stress study and finds their safe loads.
func Study(r *record.Result, o Options) {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		if d.Reference || d.Stress == nil {
			continue
		}
		d.Stress.ServiceTimes = serviceTimes(d)
		Fit(d, o)
	}
}

// forgetProblems drops what an earlier fit found: problem, and those beside it.
func forgetProblems(d *record.DUT) {
	if d.Stress == nil {
		return
	}
	d.Stress.Problems = slices.DeleteFunc(d.Stress.Problems, func(text string) bool {
		return strings.Contains(text, ": no model") || strings.Contains(text, ": no safe load")
	})
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
	case f.modelled():
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
