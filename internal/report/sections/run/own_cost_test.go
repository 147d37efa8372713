package run

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// batching is a device whose packets take a time of their own and a share of a wake-up, which
// is less the busier it is: a batch is what came while the one before was worked on.
type batching struct {
	own, wake float64 // ns beyond 500 a packet, and of a wake-up
	noise     float64
	most      float64 // packets/s that it carries
}

func (b batching) trials(rng *rand.Rand, repeats int, loads ...float64) (list []record.Trial) {
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, pps := range loads {
			rate := min(pps, b.most)
			if pps == 0 {
				rate = b.most
			}
			busy := min(rate*(500+b.own)/1e9, 0.98)
			cost := (500 + b.own + b.wake*(1-busy)/(1+20*busy)) * (1 + b.noise*rng.NormFloat64())
			list = append(list, record.Trial{
				Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: pps}, Repeat: repeat,
				Traffic:   record.Traffic{RxPPS: rate},
				Judgement: record.Judgement{Valid: true, LimitedBy: record.LimitNone},
				Cost:      record.Cost{CPU: record.CPU{DUTCores: rate * cost / 1e9}},
			})
		}
	}
	return list
}

// shown is what a report says of a device beside wire.
func shown(rng *rand.Rand, repeats int, upf, wire batching, loads ...float64) (ownCost, bool) {
	r := &record.Result{DUTs: []record.DUT{{Name: "wire", Reference: true,
		Trials: wire.trials(rng, repeats, loads...)}, {Name: "upf", Trials: upf.trials(rng, repeats, loads...)}}}
	return ofUPF(view.New(r))
}

// ofUPF is that of the device that is not wire.
func ofUPF(v *view.Run) (ownCost, bool) {
	for _, d := range v.UPFs {
		if !d.Reference {
			return ownCostOf(v, d, record.Uplink)
		}
	}
	return ownCost{}, false
}

// TestOwnCostIsShownWhereItIsKnown: of a device that takes no more than wire at most 5 % of
// reports show a time, and of one that takes 70 ns more the interval holds them.
func TestOwnCostIsShownWhereItIsKnown(t *testing.T) {
	const times = 400
	rng := rand.New(rand.NewPCG(6, 1))
	wire := batching{wake: 5000, noise: 0.01, most: 1.9e6}
	for _, repeats := range []int{3, 5, 7} {
		none, found, held := 0, 0, 0
		for range times {
			same := wire
			if _, ok := shown(rng, repeats, same, wire, 100e3, 1.5e6, 0); ok {
				none++
			}
			own := batching{own: 70, wake: 5000, noise: 0.01, most: 1.7e6}
			if c, ok := shown(rng, repeats, own, wire, 100e3, 1.5e6, 0); ok {
				found++
				if c.low <= 70 && 70 <= c.high {
					held++
				}
			}
		}
		t.Logf("%d repeats: of nothing %d of %d show a time; of 70 ns %d, and the interval holds them in %d", repeats, none, times, found, held)
		if none > times/20 || found < times*7/10 || held < found*95/100 {
			t.Errorf("%d repeats: of nothing %d of %d show a time; of 70 ns %d, and the interval holds them in %d",
				repeats, none, times, found, held)
		}
	}
}

// TestOwnCostIsNotShown: below the knee, at rates that differ, of two repeats, of a UPF that
// polls, and below 0, neither a time is shown nor a rate that follows from it.
func TestOwnCostIsNotShown(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	wire, upf := batching{wake: 5000, noise: 0.001, most: 1.9e6}, batching{own: 200, wake: 5000, noise: 0.001, most: 1.4e6}
	for name, c := range map[string]struct {
		upf     batching
		repeats int
		loads   []float64
	}{
		"below the knee":       {upf, 5, []float64{100e3, 0}},
		"at different rates":   {upf, 5, []float64{1.8e6, 0}},
		"two repeats":          {upf, 2, []float64{1.3e6, 0}},
		"less than wire takes": {batching{own: -94, wake: 5000, noise: 0.001, most: 2e6}, 5, []float64{1.5e6, 0}},
	} {
		if got, ok := shown(rng, c.repeats, c.upf, wire, c.loads...); ok {
			t.Errorf("%s: %+v is shown", name, got)
		}
	}
	if c, ok := shown(rng, 5, upf, wire, 1.3e6, 0); !ok || c.low > 200 || c.high < 200 {
		t.Errorf("of 200 ns: %+v, shown %v", c, ok)
	}
}

// TestOwnCostByProgram: run times of BPF programs need no equal batches, but a UPF whose threads
// forward is not its program alone.
func TestOwnCostByProgram(t *testing.T) {
	run := func(threads float64) *view.Run {
		r := &record.Result{DUTs: []record.DUT{{Name: "wire", Reference: true}, {Name: "upf"}}}
		for repeat, ns := range []float64{150, 153, 149} {
			for i := range r.DUTs {
				r.DUTs[i].Trials = append(r.DUTs[i].Trials,
					record.Trial{
						Kind: record.KindLoad, Direction: record.Uplink, Repeat: repeat + 1,
						Traffic: record.Traffic{RxPPS: 2e6 - 1e5*float64(i)}, Judgement: record.Judgement{Valid: true},
						Cost: record.Cost{
							ProgramNS: 40 + float64(i)*(ns-40),
							CPU:       record.CPU{DUTCores: 1, DUTParts: []record.Share{{Name: "threads", Cores: threads}}},
						},
					})
			}
		}
		return view.New(r)
	}
	bars := barsOf(run(0.01))
	if b := bars["UPF CPU per packet, net of wire upf"]; b.Text != "111" || b.Note != "BPF program, offered max" {
		t.Errorf("%+v", b)
	}
	if b := bars["UPF-only ceiling per core upf"]; b.Text != "~ 9.04" || b.Range == "" {
		t.Errorf("%+v", b)
	}
	if b, shown := barsOf(run(0.5))["UPF CPU per packet, net of wire upf"]; shown {
		t.Errorf("a UPF whose threads forward: %+v", b)
	}
}

// TestOwnCostWhereTheProgramHasTooFew: run times of programs in two of five repeats tell
// nothing, so CPU time does; and one load of which too few repeats are valid is no
// obstacle to the next.
func TestOwnCostWhereTheProgramHasTooFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	wire, upf := batching{wake: 5000, noise: 0.001, most: 1.9e6}, batching{own: 200, wake: 5000, noise: 0.001, most: 1.4e6}
	run := func(programs int, spoilt ...float64) (ownCost, bool) {
		r := &record.Result{DUTs: []record.DUT{{Name: "wire", Reference: true,
			Trials: wire.trials(rng, 5, 1.3e6, 1.35e6, 0)}, {Name: "upf", Trials: upf.trials(rng, 5, 1.3e6, 1.35e6, 0)}}}
		for i := range r.DUTs {
			for j := range r.DUTs[i].Trials {
				trial := &r.DUTs[i].Trials[j]
				if trial.Repeat <= programs {
					trial.ProgramNS = 40 + 300*float64(i)
				}
				if i == 1 && trial.Repeat > 2 && slices.Contains(spoilt, trial.Load.PPS) {
					trial.Valid = false
				}
			}
		}
		return ofUPF(view.New(r))
	}
	for _, c := range []struct {
		programs int
		spoilt   []float64
		want     float64
		note     string
		repeats  int
	}{
		{5, nil, 300, "BPF program, offered max", 5},
		{2, nil, 200, "offered 1350k", 5},
		{2, []float64{1.35e6}, 200, "offered 1.3M", 5},
		{5, []float64{0}, 300, "BPF program, offered 1350k", 5},
	} {
		got, ok := run(c.programs, c.spoilt...)
		if !ok || got.note != c.note || got.repeats != c.repeats || got.low > c.want+1e-6 || got.high < c.want-1e-6 {
			t.Errorf("programs in %d repeats, %v spoilt: %+v, shown %v", c.programs, c.spoilt, got, ok)
		}
	}
}
