package compare

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// simulated is a bench whose truth is known: what a UPF does, how much that
// scatters, and how fast the machine is.
type simulated struct {
	repeats int
	noise   float64 // standard deviation of each figure, as a ratio
	drift   float64 // the same of the machine's speed, common to all of a repeat
	speed   float64 // of the machine, 1 as a rule; 0 is 1
	rate    float64 // of the UPF against 3 Mpps; 0 is 1
	delay   float64 // of the UPF against 20 us; 0 is 1
	loss    float64 // at 500k
	runs    float64 // standard deviation of the UPF's speed from run to run, which wire does not share
	fall    float64 // by what the machine becomes slower with each visit, as a ratio

	wireRate, wireDelay float64 // of wire alone; 0 is 1
	uncalibrated        bool    // nothing is known of the machine
	// added: what wire's delay and CPU time change by comes to the UPF's, which contain them.
	added bool
}

// steady is a machine that hardly differs from itself, by many runs.
var steady = func() *record.Calibration {
	c := &record.Calibration{Runs: 100, Days: 10}
	for _, m := range Metrics() {
		c.Scatter = append(c.Scatter, record.Scatter{Figure: string(m), SD: 1e-6, DF: 99, AcrossDays: true})
	}
	return c
}()

var simulatedStart = time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)

// run measures builtin:xdp and wire, as a run does.
func (s simulated) run(rng *rand.Rand, name string) *record.Result {
	wire := record.DUT{Name: "wire", Reference: true, Status: record.StatusOK}
	upf := record.DUT{Name: "builtin", Mode: "xdp", Version: "v1", Status: record.StatusOK}
	ofRun := scatter(rng, s.runs)
	for repeat := 1; repeat <= s.repeats; repeat++ {
		speed := orOne(s.speed) * scatter(rng, s.drift)
		delay, cost := 20e3*orOne(s.delay), 1/(3e6*orOne(s.rate))
		if s.added {
			delay, cost = delay+15e3*(orOne(s.wireDelay)-1), cost+1/(6e6*orOne(s.wireRate))-1/6e6
		}
		first, second := speed*math.Exp(-s.fall*float64(2*repeat)), speed*math.Exp(-s.fall*float64(2*repeat+1))
		if repeat%2 == 0 { // B A after A B
			first, second = second, first
		}
		wire.Trials = append(wire.Trials, s.trials(rng, repeat, 6e6*first*orOne(s.wireRate), 15e3/first*orOne(s.wireDelay), 0, "link")...)
		upf.Trials = append(upf.Trials, s.trials(rng, repeat, second*ofRun/cost, delay/second/ofRun, s.loss, "dut")...)
	}
	calibration := steady
	if s.uncalibrated {
		calibration = nil
	}
	return &record.Result{
		Schema: record.Schema, Run: name, Scenario: "load-latency", Started: simulatedStart, Complete: true,
		Settings: "repeats: 5\nloads:\n  - 500k\n  - max\npayload: 1400\nlatency:\n  rate: 1k\n",
		Tool:     record.Tool{Version: "v1"}, Host: record.Host{Hostname: "bench", Kernel: "6.12.1", CPU: "EPYC", CPUs: 4},
		DUTs: []record.DUT{wire, upf}, Calibration: calibration,
	}
}

func (s simulated) trials(rng *rand.Rand, repeat int, rate, delay, loss float64, limit record.Limit) []record.Trial {
	var list []record.Trial
	noisy := func(v float64) float64 { return v * scatter(rng, s.noise) }
	for _, direction := range []record.Direction{record.Uplink, record.Downlink} {
		for _, load := range []struct {
			kind record.Kind
			name string
			pps  float64
		}{{"load", "150k", 150e3}, {"load", "500k", 500e3}, {"load", "max", 0}, {"latency", "1k", 1e3}} {
			t := record.Trial{
				Kind: load.kind, Direction: direction, Load: record.Load{PPS: load.pps}, Repeat: repeat,
				PacketSize: record.PacketSize{PayloadBytes: 1400, FrameBytes: 1486}, Sessions: 1, RxFrameBytes: 1442,
				Traffic: record.Traffic{
					RxPPS:   load.pps,
					Latency: &record.Latency{P50: bucket(noisy(delay)), P99: bucket(noisy(3 * delay)), Count: 1000},
				},
				Judgement: record.Judgement{Valid: true, LimitedBy: "none", Reasons: []string{}},
			}
			switch load.name {
			case "max":
				t.RxPPS, t.LimitedBy, t.FrameLossRatio = noisy(rate), limit, 0.4
			case "500k":
				if t.FrameLossRatio = noisy(loss); loss > 0 {
					t.LimitedBy = limit
				}
			}
			t.CPU.DUTCores = noisy(t.RxPPS / rate)
			list = append(list, t)
		}
	}
	return list
}

func scatter(rng *rand.Rand, deviation float64) float64 {
	return math.Exp(deviation * rng.NormFloat64())
}

// bucket gives the upper end of the histogram's bucket, as the sink does.
func bucket(v float64) uint64 {
	width := math.Exp2(math.Floor(math.Log2(v)) - 6)
	return uint64(math.Ceil(v/width)*width) - 1
}

func orOne(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
}
