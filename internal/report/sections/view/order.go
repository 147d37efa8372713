package view

import (
	"cmp"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// directionsOf lists the directions measured: uplink, downlink, then both and others.
func directionsOf(r *record.Result) []record.Direction {
	var found []record.Direction
	see := func(d record.Direction) {
		if !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	eachTrial(r, func(t *record.Trial) { see(t.Direction) })
	for i := range r.DUTs {
		for j := range r.DUTs[i].Searches {
			see(r.DUTs[i].Searches[j].Direction)
		}
	}
	rank := func(d record.Direction) int {
		return slices.Index([]record.Direction{"", record.Downlink, record.Uplink}, d)
	}
	slices.SortStableFunc(found, func(a, b record.Direction) int { return cmp.Compare(rank(b), rank(a)) })
	return found
}

// Loads lists the loads of a kind of trial, ascending, max last.
func (v *Run) Loads(kind record.Kind) (loads []record.Load) {
	rates := map[record.Load]float64{}
	eachTrial(v.Result, func(t *record.Trial) {
		load := t.Key().Load
		if _, known := rates[load]; known || t.Kind != kind {
			return
		}
		rates[load] = OfferedPPS(t)
		loads = append(loads, load)
	})
	slices.SortStableFunc(loads, func(a, b record.Load) int { return cmp.Compare(rates[a], rates[b]) })
	return loads
}

// OfferedPPS is the offered load in packets/s, infinite for max.
func OfferedPPS(t *record.Trial) float64 {
	if t.Load.PPS == 0 {
		return math.Inf(1)
	}
	return t.Load.PPS
}

func eachTrial(r *record.Result, do func(*record.Trial)) {
	for i := range r.DUTs {
		for j := range r.DUTs[i].Trials {
			do(&r.DUTs[i].Trials[j])
		}
	}
}

// CPUParts lists the parts of the UPFs' CPU time that some trial has.
func (v *Run) CPUParts() []string {
	var names []string
	eachTrial(v.Result, func(t *record.Trial) {
		for _, p := range t.CPU.DUTParts {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	})
	return names
}

// Queues lists the receive queues of the UPFs that some trial has counts of, by port.
func (v *Run) Queues() (list []record.QueueUse) {
	eachTrial(v.Result, func(t *record.Trial) {
		for _, q := range t.Queues {
			if name := (record.QueueUse{Port: q.Port, Queue: q.Queue}); !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	})
	slices.SortFunc(list, func(a, b record.QueueUse) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Queue, b.Queue))
	})
	return list
}
