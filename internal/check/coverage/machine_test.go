package coverage

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/record"
)

// machine is how much a machine differs from itself, as standard deviations of logarithms.
type machine struct {
	day, run, trial float64
	again           float64 // autocorrelation of neighbouring trials of a run
	heavy           bool    // trials scatter by Student's t with three degrees of freedom
	outliers        float64 // part of the trials that are 10 to 40 % slower
	shared          float64 // correlation of the effects of day and run on wire and UPF
}

// speeds are what a run multiplies the speed of wire and UPF by, trial for trial.
type speeds struct {
	m         machine
	rng       *rand.Rand
	wire, upf float64 // logarithms
	last      [2]float64
	begun     bool
}

// dayOf is the effect of a day on wire and UPF.
func (m machine) dayOf(rng *rand.Rand) [2]float64 { return m.two(rng, m.day) }

// two are effects that correlate.
func (m machine) two(rng *rand.Rand, size float64) [2]float64 {
	common, a, b := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
	c, own := math.Sqrt(m.shared), math.Sqrt(1-m.shared)
	return [2]float64{size * (c*common + own*a), size * (c*common + own*b)}
}

// begin begins a run on a day.
func (m machine) begin(rng *rand.Rand, day [2]float64) *speeds {
	run := m.two(rng, m.run)
	return &speeds{m: m, rng: rng, wire: day[0] + run[0], upf: day[1] + run[1]}
}

// noise is that of one trial. Those of a run's trials follow each other, whatever is measured.
func (s *speeds) noise() float64 {
	draw := func() float64 {
		if !s.m.heavy {
			return s.rng.NormFloat64()
		}
		chi := 0.0
		for range 3 {
			v := s.rng.NormFloat64()
			chi += v * v
		}
		return s.rng.NormFloat64() / math.Sqrt(chi/3) / math.Sqrt(3) // variance 1
	}
	if !s.begun {
		s.last[0], s.begun = draw(), true
	} else {
		s.last[0] = s.m.again*s.last[0] + math.Sqrt(1-s.m.again*s.m.again)*draw()
	}
	v := s.m.trial * s.last[0]
	if s.rng.Float64() < s.m.outliers {
		v -= 0.1 + 0.3*s.rng.Float64()
	}
	return v
}

// device is a UPF: what it does on a machine that is always the same.
type device struct {
	pps   float64
	ns    float64 // delay
	cpuNS float64
}

var plain = device{pps: 1e6, ns: 30e3, cpuNS: 400}

// trial is one at max (pps 0) or at a load.
func trial(speed float64, d device, direction record.Direction, load float64, repeat int) record.Trial {
	rx := d.pps * math.Exp(speed)
	tx, limit := 2*d.pps, record.LimitDUT
	if load > 0 {
		rx, tx, limit = load, load, record.LimitNone
	}
	slow := math.Exp(-2 * speed) // delays differ by more than rates
	p50, p99 := uint64(d.ns*slow), uint64(5*d.ns*slow)
	return record.Trial{
		Kind: record.KindLoad, Direction: direction, Repeat: repeat, DurationS: 1, Load: record.Load{PPS: load},
		PacketSize: record.PacketSize{Size: "100", PayloadBytes: 100}, Sessions: 1,
		Traffic: record.Traffic{TxPPS: tx, RxPPS: rx, TxPackets: uint64(tx), RxPackets: uint64(rx), FrameLossRatio: 1 - rx/tx,
			Latency: &record.Latency{Count: 100_000, Mean: 1.2 * float64(p50), P50: p50, P99: p99}},
		Cost:      record.Cost{CPU: record.CPU{DUTCores: d.cpuNS * math.Exp(-speed) * rx / 1e9}},
		Judgement: record.Judgement{Valid: true, LimitedBy: limit},
	}
}

// loads are those of a run: at max, and one that the UPF carries.
var loads = []float64{0, 300e3}

// result is a run of wire and a UPF, in turn.
func (s *speeds) result(name string, started time.Time, d device, repeats int) *record.Result {
	r := &record.Result{Run: name, Started: started, Host: record.Host{Hostname: "bench", Kernel: "6.12"}, DUTs: []record.DUT{
		{Name: "wire", Reference: true, Status: record.StatusOK}, {Name: "upf", Mode: "xdp", Status: record.StatusOK}}}
	wire := device{pps: 3e6, ns: 10e3, cpuNS: 200}
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, direction := range []record.Direction{record.Uplink, record.Downlink} {
			for _, load := range loads {
				w, u := s.wire+s.noise(), s.upf+s.noise()
				r.DUTs[0].Trials = append(r.DUTs[0].Trials, trial(w, wire, direction, load, repeat))
				r.DUTs[1].Trials = append(r.DUTs[1].Trials, trial(u, d, direction, load, repeat))
			}
		}
	}
	return r
}

var epoch = time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)

// calibrated is what a machine was calibrated to: so many runs a day on so many days, none of them the run's own.
func (m machine) calibrated(rng *rand.Rand, days, runs int) *record.Calibration {
	var list []between.Run
	for day := range days {
		of := m.dayOf(rng)
		for i := range runs {
			list = append(list, between.Read(m.begin(rng, of).result(fmt3("c", day, i), epoch.AddDate(0, 0, day).Add(time.Duration(i)*time.Hour), plain, 1)))
		}
	}
	host := record.Host{Hostname: "bench", Kernel: "6.12"}
	return between.Calibration(host.Fingerprint(), "upf:xdp", nil, list)
}
