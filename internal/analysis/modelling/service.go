package modelling

import (
	"math"

	"github.com/upflab/upflab/internal/record"
)

// serviceTimes are the delays at the DUT at the lowest load of each stream: service times,
// as far as no packet waits for another there. Repeats are added up.
func serviceTimes(d *record.DUT) (list []record.ServiceTime) {
	for _, s := range streams(d) {
		var all []*record.Latency
		lowest := math.Inf(1)
		for i := range d.Trials {
			t := &d.Trials[i]
			if !t.InModels() || t.Stream() != s || t.AtDUT == nil || len(t.AtDUT.Buckets) == 0 || t.Load.PPS > lowest {
				continue
			}
			if t.Load.PPS < lowest {
				lowest, all = t.Load.PPS, nil
			}
			all = append(all, t.AtDUT)
		}
		if len(all) == 0 {
			continue
		}
		if x := serviceTime(s, lowest, all); x.Delays.Count >= fewestTimed {
			list = append(list, x)
		}
	}
	return list
}

func serviceTime(s record.Stream, pps float64, repeats []*record.Latency) record.ServiceTime {
	x := record.ServiceTime{Direction: s.Direction, Size: s.Size, Arrivals: s.Arrivals, LoadPPS: pps, Delays: merged(repeats)}
	x.MeanNS = x.Delays.Mean
	square := 0.0
	each(x.Delays, func(ns, n float64) { square += n * ns * ns })
	n := float64(x.Delays.Count)
	x.SCV = max(0, square/n/(x.MeanNS*x.MeanNS)-1)
	return x
}

// fewestTimed is how many packets a distribution of service times has at least.
const fewestTimed = 100

// each gives the middle of each bucket of a distribution, ns, and how many values it has.
func each(l *record.Latency, do func(ns, n float64)) {
	for _, b := range l.Buckets {
		do(float64(b.UpTo)*(1-halfBucket), float64(b.Count))
	}
}

// halfBucket is half of a bucket's width, as a share of its upper end.
const halfBucket = 1.0 / 512

// samples is how many values a distribution is given as to a simulation.
const samples = 1000

// serviceOf is a sample of a stream's service times, ns; nothing where they were not measured.
func serviceOf(d *record.DUT, s record.Stream) (ns []float64) {
	if d.Stress == nil {
		return nil
	}
	for _, x := range d.Stress.ServiceTimes {
		if x.Direction != s.Direction || x.Size != s.Size || x.Arrivals != s.Arrivals {
			continue
		}
		for i := range samples {
			ns = append(ns, quantile(x.Delays, (float64(i)+0.5)/samples))
		}
	}
	return ns
}
