package energy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

var began = time.Date(2026, 11, 28, 21, 0, 0, 0, time.UTC)

func trial(load, rx float64, n int, watts *float64) record.Trial {
	t := record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: load}, Repeat: 1, DurationS: 4,
		Started: began.Add(time.Duration(n) * 10 * time.Second), Traffic: record.Traffic{RxPPS: rx, RxL2bps: rx * 8000},
		Judgement: record.Judgement{Valid: true}}
	if watts != nil {
		t.Energy = &record.Energy{Watts: *watts}
	}
	return t
}

func power(w float64) *float64 { return &w }

// TestOfProcessors: 60 W at 100 kpps are 0.6 mJ a packet, and 8000 bits each make 0.8 Gbit/s, 75 J/Gbit.
func TestOfProcessors(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{{Name: "upf", Trials: []record.Trial{trial(100e3, 100e3, 0, power(60)), trial(200e3, 200e3, 1, nil)}}}}
	rep := Of(r, nil)
	if len(rep.Rows) != 1 || len(rep.Lines) != 0 {
		t.Fatalf("%+v", rep)
	}
	if row := rep.Rows[0]; row.Watts != 60 || math.Abs(row.PerPacket-6e-4) > 1e-12 || math.Abs(row.PerGbit-75) > 1e-9 || row.Load != "100k" {
		t.Errorf("%+v", row)
	}
}

// TestLine: 50 W and 0.1 mJ a packet are found again, with an interval that holds them, from a meter that scatters.
func TestLine(t *testing.T) {
	rng, held := rand.New(rand.NewPCG(1, 2)), 0
	const times = 400
	for range times {
		d := record.DUT{Name: "upf"}
		of := map[time.Time]float64{}
		for i, pps := range []float64{100e3, 200e3, 300e3, 400e3, 100e3, 200e3, 300e3, 400e3} {
			tr := trial(pps, pps, i, nil)
			of[tr.Started] = 50 + 1e-4*pps + rng.NormFloat64()
			d.Trials = append(d.Trials, tr)
		}
		meter := func(from, to time.Time) (float64, bool) { return of[from] * to.Sub(from).Seconds(), true }
		rep := Of(&record.Result{DUTs: []record.DUT{d}}, meter)
		if len(rep.Lines) != 1 || rep.Lines[0].Loads != 4 || math.Abs(rep.Lines[0].BaseWatts-50) > 6 {
			t.Fatalf("%+v", rep.Lines)
		}
		if l := rep.Lines[0]; l.Low <= 1e-4 && 1e-4 <= l.High {
			held++
		}
	}
	if part := float64(held) / times; part < 0.92 || part > 0.98 {
		t.Errorf("the interval holds the truth in %.1f %%", 100*part)
	}
}

// TestWholeTrial: with windows left out, time and packets are those of the whole trial.
func TestWholeTrial(t *testing.T) {
	tr := trial(100e3, 100e3, 0, nil)
	tr.RxPackets = 400e3
	tr.Excluded = &record.Excluded{Seconds: 1, RxPackets: 50e3}
	var took time.Duration
	rep := Of(&record.Result{DUTs: []record.DUT{{Name: "upf", Trials: []record.Trial{tr}}}}, func(from, to time.Time) (float64, bool) {
		took = to.Sub(from)
		return 450, true
	})
	if took != 5*time.Second || len(rep.Rows) != 1 || math.Abs(rep.Rows[0].PerPacket-1e-3) > 1e-9 { // 450 J for 450 000 packets
		t.Errorf("%v, %+v", took, rep.Rows)
	}
}

// TestNotKnown: without energy there is nothing.
func TestNotKnown(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{{Name: "upf", Trials: []record.Trial{trial(100e3, 100e3, 0, nil), trial(100e3, 0, 0, power(3))}}}}
	if rep := Of(r, nil); len(rep.Rows)+len(rep.Lines) > 0 {
		t.Errorf("%+v", rep)
	}
	if rep := Of(r, func(time.Time, time.Time) (float64, bool) { return 0, false }); len(rep.Rows) > 0 {
		t.Errorf("%+v", rep)
	}
}

// TestRateIsTheReports: Rx is the median of the valid trials, as a report has it, and not that of whole trials.
func TestRateIsTheReports(t *testing.T) {
	a, b := trial(100e3, 90e3, 0, power(60)), trial(100e3, 80e3, 1, nil)
	a.RxPackets = 360e3
	a.Excluded = &record.Excluded{Seconds: 1, RxPackets: 10e3}
	rep := Of(&record.Result{DUTs: []record.DUT{{Name: "upf", Trials: []record.Trial{a, b}}}}, nil)
	if len(rep.Rows) != 1 || rep.Rows[0].RxPPS != 85e3 || rep.Rows[0].Trials != 1 {
		t.Errorf("%+v", rep.Rows)
	}
}
