package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// directionsOf lists the directions measured: uplink, downlink, then both and
// others.
func directionsOf(r *record.Result) []string {
	found := map[string]bool{}
	var others []string
	see := func(direction string) {
		if !found[direction] && direction != "uplink" && direction != "downlink" {
			others = append(others, direction)
		}
		found[direction] = true
	}
	eachTrial(r, func(t *record.Trial) { see(string(t.Direction)) })
	for i := range r.DUTs {
		for _, s := range r.DUTs[i].Searches {
			see(string(s.Direction))
		}
	}
	known := slices.DeleteFunc([]string{"uplink", "downlink"}, func(d string) bool { return !found[d] })
	return append(known, others...)
}

// sizesOf lists the sizes of packets, in the order in which they were measured. What
// tells none is of any.
func sizesOf(r *record.Result) []string {
	var sizes []string
	see := func(size string) {
		if size != "0" && !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	eachTrial(r, func(t *record.Trial) { see(t.SizeName()) })
	for i := range r.DUTs {
		for j := range r.DUTs[i].Searches {
			see(r.DUTs[i].Searches[j].SizeName())
		}
	}
	return sizes
}

// loadsOf lists the loads of a kind of trial, ascending, max last.
func loadsOf(r *record.Result, kind string) []string {
	rates := map[string]float64{}
	var loads []string
	eachTrial(r, func(t *record.Trial) {
		if _, known := rates[t.Load.String()]; known || t.Kind != kind {
			return
		}
		rates[t.Load.String()] = offered(t)
		loads = append(loads, t.Load.String())
	})
	slices.SortStableFunc(loads, func(a, b string) int { return cmp.Compare(rates[a], rates[b]) })
	return loads
}

// offered is the offered load in packets/s, infinite for max.
func offered(t *record.Trial) float64 {
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
