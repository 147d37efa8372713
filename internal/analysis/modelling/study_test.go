package modelling

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// swept is a DUT with a trial of each load; of gives its mean latency, ns, and its loss.
func swept(of func(pps float64) (ns, loss float64), loads ...float64) *record.DUT {
	d := &record.DUT{Name: "upf", Stress: &record.Stress{}}
	for _, pps := range loads {
		ns, loss := of(pps)
		t := record.Trial{
			Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: pps},
			Judgement: record.Judgement{Valid: true},
			Traffic:   record.Traffic{TxPPS: pps, TxPackets: uint64(pps), FrameLossRatio: loss},
		}
		if loss < 1 {
			t.Latency = &record.Latency{Mean: ns, P50: uint64(ns * 0.7), P99: uint64(4.6 * ns), Count: 1000, Max: uint64(9 * ns),
				Buckets: []record.Bucket{{UpTo: uint64(ns * 0.7), Count: 500}, {UpTo: uint64(3 * ns), Count: 460}, {UpTo: uint64(4.6 * ns), Count: 40}}}
		}
		d.Trials = append(d.Trials, t)
	}
	return d
}

func TestStudyNamesWhatIsMissing(t *testing.T) {
	queue := func(pps float64) (float64, float64) { return 1e9 / (11_000 - pps), 0 }
	for want, d := range map[string]*record.DUT{
		"too few loads have valid trials": swept(queue, 1000, 5000),
		"saturated at every load":         swept(func(float64) (float64, float64) { return 5e6, 0.3 }, 1000, 2000, 3000, 4000, 5000),
		"no load makes packets wait":      swept(func(float64) (float64, float64) { return 5000, 0 }, 1000, 2000, 3000, 4000, 5000),
		"all packets were lost":           swept(func(float64) (float64, float64) { return 0, 1 }, 1000, 2000, 3000, 4000, 5000),
	} {
		r := &record.Result{DUTs: []record.DUT{*d}}
		before := len(d.Trials)
		Study(r, Options{Targets: []record.LoadTarget{{P99NS: 1e6, LossRatio: 0.001}}})
		got := r.DUTs[0]
		if len(got.Stress.Problems) != 1 || !strings.Contains(got.Stress.Problems[0], want) {
			t.Errorf("%q; want one with %q", got.Stress.Problems, want)
		}
		if len(got.Trials) != before || len(got.SafeLoads) != 1 || !got.SafeLoads[0].Measured {
			t.Errorf("%s: what was measured is kept, and the safe load is as measured: %+v", want, got.SafeLoads)
		}
	}
}

func TestStudyWithoutAValidTrial(t *testing.T) {
	d := swept(func(float64) (float64, float64) { return 1000, 0 }, 1000, 2000)
	for i := range d.Trials {
		d.Trials[i].Valid = false
	}
	r := &record.Result{DUTs: []record.DUT{*d}}
	Study(r, Options{})
	if p := r.DUTs[0].Stress.Problems; len(p) != 1 || !strings.Contains(p[0], "no trial was valid") {
		t.Errorf("%q", p)
	}
}

func TestStudyFits(t *testing.T) {
	d := swept(func(pps float64) (float64, float64) { return 1e9 / (11_000 - pps), 0 }, 1000, 3000, 5000, 7000, 8000, 9000, 10_000)
	for i := range d.Trials {
		d.Trials[i].Arrivals = &record.Arrivals{Process: "poisson"}
	}
	r := &record.Result{DUTs: []record.DUT{*d, {Name: "wire", Reference: true, Stress: &record.Stress{}, Trials: d.Trials}}}
	Study(r, Options{Models: []string{"M/M/1"}, Targets: []record.LoadTarget{{P99NS: 2e6}}})
	got := r.DUTs[0]
	if len(got.Stress.Problems) != 0 || len(got.Models) == 0 || got.Models[0].Arrivals != "poisson" {
		t.Fatalf("%+v %q", got.Models, got.Stress.Problems)
	}
	if s := got.SafeLoads; len(s) != 1 || s[0].PPS < 8000 || s[0].PPS > 9500 || s[0].Arrivals != "poisson" { // 11000 - 4.6e9/2e6
		t.Errorf("%+v", s)
	}
	if len(r.DUTs[1].Models) != 0 {
		t.Error("wire has models")
	}
}

// TestFitAgain: a study that is stored can be fitted again, to another end.
func TestFitAgain(t *testing.T) {
	d := swept(func(float64) (float64, float64) { return 5000, 0 }, 1000, 2000, 3000, 4000, 5000)
	d.Stress.Problems = []string{"uplink: 3 of the loads are above what the generator sends and are left out"}
	o := Options{Targets: []record.LoadTarget{{P99NS: 1e6, LossRatio: 0.001}}}
	for range 2 {
		Fit(d, o)
		if len(d.Stress.Problems) != 2 || len(d.SafeLoads) != 1 || !d.SafeLoads[0].Measured {
			t.Errorf("problems %q, safe loads %+v", d.Stress.Problems, d.SafeLoads)
		}
	}
	for i := range d.Trials {
		d.Trials[i].Latency.Mean *= 11_000 / (11_000 - d.Trials[i].TxPPS)
		d.Trials[i].Latency.P99 = uint64(4.6 * d.Trials[i].Latency.Mean)
	}
	Fit(d, o)
	for _, text := range d.Stress.Problems {
		if strings.Contains(text, "no load makes packets wait") {
			t.Errorf("%q is still there", text)
		}
	}
}
