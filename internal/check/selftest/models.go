package selftest

import (
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/modelling"
	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// queue is what the devices of an experiment are, and what a fit to their trials has to
// find.
type queue struct {
	model string  // that has to be chosen
	pps   float64 // its service rate
	room  float64 // packets, with the one in service; 0: not limited
	// left is the load, packets/s, that fits do not see: its p99 is predicted. Nearer to the
	// limit, p99 of a trial this long scatters by more than the tolerance.
	left float64
}

// How close a fit has to be, and in how many of ten runs.
const (
	rateTolerance = 0.03 // of the service rate
	roomTolerance = 2    // packets
	tailTolerance = 0.10 // of p99 at the load left out
	mayMiss       = 0.1  // of the runs
)

// modelRows fits models to each device and compares them with what it is. The figures of
// each are shown; of all together, so many have to be right.
func (q queue) modelRows(r *record.Result) (rows []Row) {
	found, predicted := 0, 0
	for i := range r.DUTs {
		more, right, near := q.device(r.DUTs[i])
		for n := range more {
			more[n].Device, more[n].Trial = compare.Label(&r.DUTs[i]), "uplink"
		}
		rows = append(rows, more...)
		found, predicted = found+count(right), predicted+count(near)
	}
	runs := float64(len(r.DUTs))
	what := fmt.Sprintf("%s chosen, rate within %.0f %%", q.model, 100*rateTolerance)
	if q.room > 0 {
		what += fmt.Sprintf(", room within %d packets", roomTolerance)
	}
	all := []Row{within(what, Runs, runs, float64(found), math.Floor(mayMiss*runs)),
		within(fmt.Sprintf("p99 at %.0fk within %.0f %%", q.left/1e3, 100*tailTolerance), Runs, runs,
			float64(predicted), math.Floor(mayMiss*runs))}
	for i := range all {
		all[i].Device, all[i].bends = "all of them", true
	}
	return append(rows, all...)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// device fits models to a device's trials without those at the load left out.
func (q queue) device(d record.DUT) (rows []Row, right, near bool) {
	whole := d.Trials
	d.Trials = slices.DeleteFunc(slices.Clone(whole), func(t record.Trial) bool { return t.Load.PPS == q.left || t.Kind != record.KindLoad })
	fits := modelling.Fit(&d, modelling.Options{})
	if len(fits) == 0 {
		return []Row{told("no valid trial")}, false, false
	}
	f := fits[0]
	best, err := f.Result.Best()
	if f.Err != nil || err != nil {
		return []Row{told(fmt.Sprintf("no model is chosen: %v", firstOf(f.Err, err)))}, false, false
	}
	rows = []Row{told("model: " + best.Name), shown("service rate", PerSecond, best.MuPPS)}
	right = best.Name == q.model && math.Abs(best.MuPPS/q.pps-1) <= rateTolerance
	if q.room > 0 {
		rows = append(rows, shown("room", Packets, best.QueuePackets))
		right = right && math.Abs(best.QueuePackets-q.room) <= roomTolerance
	}
	more, near := q.tail(best, whole)
	return append(rows, more...), right, near
}

// tail compares p99 at the load left out with what the model says of it.
func (q queue) tail(best queueing.Fitted, trials []record.Trial) (rows []Row, near bool) {
	var p99 []float64
	for _, t := range trials {
		if t.Valid && t.Kind == record.KindLoad && t.Load.PPS == q.left && t.Latency != nil {
			p99 = append(p99, float64(t.Latency.P99))
		}
	}
	if len(p99) == 0 {
		return []Row{told("no valid trial at the load left out")}, false
	}
	measured, says := stats.Median(p99), best.Predict(q.left).P99NS
	return []Row{shown("p99 measured", Nanoseconds, measured), shown("p99 predicted", Nanoseconds, says)},
		math.Abs(says/measured-1) <= tailTolerance
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// told is a remark, shown a figure, that decide nothing by themselves.
func told(what string) Row { return Row{Quantity: what, Told: true, Pass: true} }

func shown(quantity string, unit Unit, measured float64) Row {
	return Row{Quantity: quantity, Unit: unit, Measured: measured, Told: true, Pass: true}
}

// Of the devices of the experiments of models.
const (
	modelledPPS  = 40e3
	modelledRoom = 64
	leftOut      = 24e3
)

// exponentials are devices with exponential times, each with other random numbers.
func exponentials(n int) (list []device) {
	for seed := range n {
		list = append(list, device{fmt.Sprintf("calibrator:rate=40kpps,service=exponential,queue=%d,seed=%d", modelledRoom, seed+1), nil})
	}
	return list
}

// constants are devices with constant times and room for any queue.
func constants(n int) (list []device) {
	for seed := range n {
		list = append(list, device{fmt.Sprintf("calibrator:rate=40kpps,queue=4096,seed=%d", seed+1), nil})
	}
	return list
}
