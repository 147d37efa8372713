package modelling

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// mm1 is a trial of a server with exponential times, 200,000 packets/s, and 5 us of
// delay: the sojourn is exponential with mean 1/(mu - lambda) (Kleinrock, Queueing
// Systems vol. 1, clause 3.2).
func mm1(direction record.Direction, pps float64) record.Trial {
	mean := 1e9 / (200e3 - pps)
	l := &record.Latency{Mean: mean + 5000, P50: uint64(mean*math.Ln2 + 5000), P99: uint64(mean*math.Log(100) + 5000), Count: 1000}
	for i := range 1000 {
		l.Buckets = append(l.Buckets, record.Bucket{UpTo: uint64(-mean*math.Log(1-float64(i)/1000-0.0005) + 5000), Count: 1})
	}
	return record.Trial{
		Kind: record.KindLoad, Direction: direction,
		PacketSize: record.PacketSize{Size: "1400", PayloadBytes: 1400}, Sessions: 1,
		Load: record.Load{PPS: pps}, Arrivals: &record.Arrivals{Process: "poisson", Seed: 1},
		Traffic:   record.Traffic{TxPPS: pps, TxPackets: uint64(pps), Latency: l},
		Judgement: record.Judgement{Valid: true}, Cost: record.Cost{CPU: record.CPU{DUTCores: pps / 200e3}},
	}
}

func TestFitOfARecord(t *testing.T) {
	d := record.DUT{Name: "upf", Models: []record.Model{{Name: "of before"}}}
	for _, pps := range []float64{20e3, 60e3, 100e3, 140e3, 170e3, 185e3} {
		d.Trials = append(d.Trials, mm1(record.Uplink, pps))
	}
	bad := mm1(record.Uplink, 190e3)
	bad.Valid, bad.Latency = false, nil
	d.Trials = append(d.Trials, bad, mm1(record.Downlink, 1e3), mm1(record.Both, 1e3))
	found := Fit(&d, Options{Targets: []record.LoadTarget{{P99NS: 100e3, LossRatio: 0.001}, {P99NS: 1, LossRatio: 0}}})
	if len(found) != 2 || found[0].Err != nil || found[1].Err == nil {
		t.Fatalf("%d streams; uplink %v, downlink %v: the first has a fit, the second one load only", len(found), found[0].Err, found[1].Err)
	}
	chosen := 0
	for _, m := range d.Models {
		if m.Name == "of before" {
			t.Error("models of an earlier fit are still there")
		}
		if !m.Chosen {
			continue
		}
		chosen++
		if m.Name != "M/M/1" || math.Abs(m.MuPPS/200e3-1) > 0.01 || len(m.Curve) < 50 || m.Direction != record.Uplink || m.Size != "1400" {
			t.Errorf("chosen: %s, mu %.0f, %d points, %s %s", m.Name, m.MuPPS, len(m.Curve), m.Direction, m.Size)
		}
	}
	if chosen != 1 || len(d.SafeLoads) != 2 {
		t.Fatalf("%d chosen, safe loads %+v", chosen, d.SafeLoads)
	}
	// p99 = 100 us: 1/(mu - lambda) = 95 us / ln 100.
	if want := 200e3 - math.Log(100)/95e-6; math.Abs(d.SafeLoads[0].EstimatePPS/want-1) > 0.01 ||
		d.SafeLoads[0].PPS > want || d.SafeLoads[0].PPS < 0.95*want || d.SafeLoads[0].CPUCores <= 0 {
		t.Errorf("safe load %+v, want %.0f packets/s", d.SafeLoads[0], want)
	}
	if s := d.SafeLoads[1]; s.PPS != 0 || s.Why == "" {
		t.Errorf("a target that no load keeps: %+v", s)
	}
}

func TestQuantileOfBuckets(t *testing.T) {
	l := &record.Latency{Count: 100, Buckets: []record.Bucket{{UpTo: 10, Count: 94}, {UpTo: 20, Count: 1}, {UpTo: 30, Count: 5}}}
	for q, want := range map[float64]float64{0.5: 10, 0.94: 10, 0.95: 20, 0.96: 30, 1: 30} {
		if got := quantile(l, q); got != want {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
	if got := quantile(&record.Latency{Count: 5}, 0.95); got != 0 {
		t.Errorf("without buckets: %g", got)
	}
}
