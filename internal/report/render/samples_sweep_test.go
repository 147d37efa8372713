package render_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/analysis/modelling"
	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

var simulate = flag.Bool("simulate", false, "write testdata/sweep.json anew, from a simulation")

// swept is a sweep of loads over a simulated UPF, with its models.
func swept(t testing.TB) *record.Result { return stored(t, "sweep.json") }

// TestSimulatedSweep writes the sample of a sweep: a queue of 64 before a server of
// 200,000 packets/s with exponential times, 9 us of other delay, Poisson arrivals.
func TestSimulatedSweep(t *testing.T) {
	if !*simulate {
		t.Skip("only with -simulate")
	}
	r := sample(t)
	upf := &r.DUTs[0]
	plain := upf.Trials[0]
	upf.Trials, r.DUTs = nil, r.DUTs[:1]
	for i, share := range []float64{0.05, 0.2, 0.35, 0.5, 0.65, 0.75, 0.85, 0.93, 1, 1.1, 1.3} {
		for repeat := range 3 {
			upf.Trials = append(upf.Trials, simulated(plain, share, repeat+1, uint64(10*i+repeat)))
		}
	}
	for _, f := range modelling.Fit(upf, modelling.Options{Targets: []record.LoadTarget{{P99NS: 100e3, LossRatio: 0.001}}}) {
		if f.Err != nil {
			t.Fatal(f.Err)
		}
	}
	upf.Stress = studyOf(upf.Trials[0])
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/sweep.json", text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// studyOf is what a study adds: a timeline, and service times.
func studyOf(lowest record.Trial) *record.Stress {
	line := record.Timeline{Direction: record.Uplink, Load: record.Load{PPS: 150e3}, Arrivals: "poisson", DurationS: 2}
	for i := range 30 {
		m := record.Moment{T: 0.2*float64(i) - 1.8, DUTCores: 0.004, MemoryBytes: 34 << 20, SwitchesPerS: 90}
		if m.T > 0.1 && m.T < 2.1 {
			m.DUTCores, m.RxPPS, m.SwitchesPerS = 0.73+0.01*float64(i%3), 150e3, 2100
		}
		line.Points = append(line.Points, m)
	}
	service := record.ServiceTime{Direction: record.Uplink, Arrivals: "poisson", LoadPPS: lowest.TxPPS, MeanNS: 5200,
		SCV: 0.98, Delays: lowest.Latency}
	return &record.Stress{Timelines: []record.Timeline{line}, ServiceTimes: []record.ServiceTime{service}}
}

func simulated(plain record.Trial, share float64, repeat int, seed uint64) record.Trial {
	const mu, delay, packets = 200e3, 9000, 40_000
	gap := 1e9 / (mu * share)
	luck := rand.New(rand.NewPCG(seed, 7))
	out := queueing.Simulation{Gap: func(r *rand.Rand) float64 { return gap * r.ExpFloat64() },
		Service:      func(r *rand.Rand) float64 { return 1e9 / mu * r.ExpFloat64() },
		QueuePackets: 64, Packets: packets, WarmUp: 4000, Seed: seed}.Run()
	x := plain
	x.Direction, x.Repeat, x.Load, x.Arrivals = record.Uplink, repeat, record.Load{PPS: math.Round(mu * share)},
		&record.Arrivals{Process: "poisson", Seed: 1}
	x.TxPPS, x.Intended, x.TxPackets, x.DurationS = mu*share, packets, packets, packets/(mu*share)
	x.RxPackets = uint64(math.Round(packets * (1 - out.LossRatio)))
	x.Unattributed, x.FrameLossRatio = packets-x.RxPackets, 1-float64(x.RxPackets)/packets
	x.RxPPS = float64(x.RxPackets) / x.DurationS
	x.TxL2bps, x.RxL2bps = 8*float64(x.FrameBytes)*x.TxPPS, 8*float64(x.RxFrameBytes)*x.RxPPS
	x.CPU.DUTCores = 0.06 + 0.9*min(1, share)*(1+0.01*luck.NormFloat64())
	x.CPU.DUTParts, x.MemoryBytes, x.Valid, x.LimitedBy, x.Reasons = nil, 34<<20, true, record.LimitNone, nil
	if x.FrameLossRatio > 1e-5 {
		x.LimitedBy = record.LimitDUT
	}
	x.Drops, x.Series, x.Actual, x.Lateness, x.PDV, x.IPDV = nil, nil, nil, nil, nil, nil
	for i := range 10 {
		x.Series = append(x.Series, record.Point{T: 0.1 * float64(i+1), TxPPS: x.TxPPS, RxPPS: x.RxPPS, P50: uint64(out.QuantileNS(0.5)) + delay,
			P99: uint64(out.QuantileNS(0.99)) + delay, DUTCores: x.CPU.DUTCores * (1 + 0.02*luck.NormFloat64())})
	}
	ns := func(q float64) uint64 { return uint64(out.QuantileNS(q)) + delay }
	x.Latency = &record.Latency{Min: ns(0), Mean: out.MeanNS() + delay, P50: ns(0.5), P90: ns(0.9), P99: ns(0.99),
		P999: ns(0.999), Max: ns(1), Count: packets}
	x.Latency.Buckets = bucketsOf(ns, packets)
	return x
}

// bucketsOf makes a histogram with steps of 5 % of a distribution.
func bucketsOf(ns func(q float64) uint64, packets int) (list []record.Bucket) {
	counts := map[uint64]uint64{}
	for i := range packets {
		v := float64(ns((float64(i) + 0.5) / float64(packets)))
		counts[uint64(math.Pow(1.05, math.Ceil(math.Log(v)/math.Log(1.05))))]++
	}
	for bound, n := range counts {
		list = append(list, record.Bucket{UpTo: bound, Count: n})
	}
	slices.SortFunc(list, func(a, b record.Bucket) int { return cmp.Compare(a.UpTo, b.UpTo) })
	return list
}
