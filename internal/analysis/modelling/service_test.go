package modelling

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// delays are n of each value, ns.
func delays(n uint64, values ...uint64) *record.Latency {
	l := &record.Latency{Count: n * uint64(len(values)), Min: values[0], Max: values[len(values)-1]}
	for _, v := range values {
		l.Mean += float64(v) / float64(len(values))
		l.Buckets = append(l.Buckets, record.Bucket{UpTo: v, Count: n})
	}
	return l
}

func TestServiceTimesAreThoseOfTheLowestLoad(t *testing.T) {
	at := func(pps float64, valid bool, l *record.Latency) record.Trial {
		return record.Trial{Direction: record.Uplink, Load: record.Load{PPS: pps},
			Traffic: record.Traffic{TxPPS: pps, AtDUT: l}, Judgement: record.Judgement{Valid: valid}}
	}
	d := &record.DUT{Stress: &record.Stress{}, Trials: []record.Trial{
		at(5000, true, delays(100, 9000)), at(1000, true, delays(100, 1000, 3000)), at(1000, true, delays(300, 2000)),
		at(500, false, delays(100, 7)), at(1000, true, nil),
	}}
	list := serviceTimes(d)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	s := list[0]
	// A hundred of 1000, as many of 3000 and 300 of 2000: a mean of 2000, a variance of 400,000.
	if s.LoadPPS != 1000 || s.MeanNS != 2000 || s.Delays.Count != 500 || s.Delays.P50 != 2000 || math.Abs(s.SCV-0.1) > 0.01 {
		t.Errorf("%+v %+v", s, s.Delays)
	}
	d.Stress.ServiceTimes = list
	if ns := serviceOf(d, d.Trials[0].Stream()); len(ns) != samples || ns[0] != 1000 || ns[samples-1] != 3000 {
		t.Errorf("%d values", len(ns))
	}
	if none := serviceOf(d, record.Stream{Direction: record.Downlink}); none != nil {
		t.Errorf("%v", none)
	}
}
