package sweep

import (
	"math"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// trial is one of a load with p99 in µs, a loss ratio and CPU.
func trial(kpps, p99, loss, cores float64) record.Trial {
	l := &record.Latency{Mean: p99 * 300, P50: uint64(p99 * 200), P99: uint64(p99 * 1000), Count: 100,
		Buckets: []record.Bucket{{UpTo: uint64(p99 * 200), Count: 60}, {UpTo: uint64(p99 * 1000), Count: 40}}}
	return record.Trial{
		Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: kpps * 1e3},
		Traffic:   record.Traffic{TxPPS: kpps * 1e3, RxPPS: kpps * 1e3 * (1 - loss), FrameLossRatio: loss, Latency: l},
		Cost:      record.Cost{CPU: record.CPU{DUTCores: cores}, MemoryBytes: 20 << 20},
		Judgement: record.Judgement{Valid: true},
	}
}

func run(trials ...record.Trial) *view.Run {
	return view.New(&record.Result{DUTs: []record.DUT{{Name: "upf", Trials: trials}}})
}

func sixLoads() []record.Trial {
	return []record.Trial{trial(10, 40, 0, 0.1), trial(20, 42, 0, 0.2), trial(30, 45, 0, 0.3), trial(40, 60, 0, 0.4),
		trial(50, 900, 0.01, 0.5), trial(60, 1200, 0.2, 0.5)}
}

// TestCaptions: each says what the numbers of six loads show.
func TestCaptions(t *testing.T) {
	want := map[string]string{
		"Throughput over load": "Uplink, upf: all is carried up to 40.0 kpps; most arrives of 50.0 " +
			"kpps: 49.5 kpps, and 48.0 kpps of the highest load.",
		"Drop rate over load": "Uplink, upf: loss begins at 50.0 kpps (1.00 %) and reaches 20.0 % at 60.0 kpps.",
		"Latency over load": "Uplink, upf: the mean is 12.0 µs at 10.0 kpps, over twice that " +
			"from 50.0 kpps on, and 360 µs at 60.0 kpps.",
		"CPU over load": "Uplink, upf: 0.100 cores at 10.0 kpps, 0.500 at 60.0 kpps. Each " +
			"additional packet costs 10000 ns below saturation.",
		"Memory over load":                   "Uplink, upf: 20 MiB at every load.",
		"Percentiles and models, upf uplink": "p99 stays under 100 µs up to 40.0 kpps, then is 900 µs at 50.0 kpps and 1.20 ms at 60.0 kpps.",
		"Where latencies lie, upf uplink":    "Half of the packets take 8.00 µs at most at 10.0 kpps, and 240 µs at 60.0 kpps.",
	}
	got := 0
	for _, item := range Findings(run(sixLoads()...)).Blocks {
		for _, i := range item.(block.List).Items {
			if text, known := want[i.Label]; known && text == i.Text {
				got++
			} else {
				t.Errorf("%s: %s", i.Label, i.Text)
			}
		}
	}
	if got != len(want) {
		t.Errorf("%d of %d captions", got, len(want))
	}
}

// TestHostLimitedPoints: what the machine limited is drawn hollow, and loss does not begin there.
func TestHostLimitedPoints(t *testing.T) {
	trials := sixLoads()
	trials[2].FrameLossRatio, trials[2].RxPPS, trials[2].LimitedBy = 0.02, 29_400, record.LimitHost
	v := run(trials...)
	f := Loss(v).Blocks[0].(block.Figure)
	if text := f.Views[0].Caption; text != "Uplink, upf: loss begins at 50.0 kpps (1.00 %) and reaches 20.0 % at 60.0 kpps." {
		t.Error(text)
	}
	for i, p := range f.Views[0].Panels[0].Series[0].Data {
		if hollow := p.Style == "hollow"; hollow != (i == 2) {
			t.Errorf("point %d is drawn %q", i, p.Style)
		}
	}
	if !strings.Contains(f.Caption, "Hollow marks") {
		t.Error(f.Caption)
	}
}

// TestFewLoadsAreNoSweep: four loads without models have the charts of any run.
func TestFewLoadsAreNoSweep(t *testing.T) {
	v := run(sixLoads()[:4]...)
	if v.Swept() || len(Findings(v).Blocks) > 0 || len(Throughput(v).Blocks) > 0 {
		t.Error("four loads are shown as a sweep")
	}
}

// TestAllLost: loads without latency leave charts of what was measured.
func TestAllLost(t *testing.T) {
	trials := sixLoads()
	for i := range trials {
		trials[i].FrameLossRatio, trials[i].RxPPS, trials[i].Latency = 1, 0, nil
	}
	v := run(trials...)
	for _, of := range Figures() {
		of(v)
	}
	if len(Latency(v).Blocks) > 0 || len(Loss(v).Blocks) == 0 {
		t.Error("a chart of latencies that there are not, or none of loss")
	}
}

// TestEstimates: the range of few repeats, the interval of many.
func TestEstimates(t *testing.T) {
	var trials []record.Trial
	for i := range 8 {
		trials = append(trials, trial(10, 40+float64(i), 0, 0.1))
	}
	few := pointers(trials[:3])
	if e := (view.SweepPoint{Trials: few}).Estimate(view.LatencyOf(view.P99)); e != (view.Estimate{Value: 41e3, Low: 40e3, High: 42e3}) {
		t.Errorf("of three: %+v", e)
	}
	if e := (view.SweepPoint{Trials: pointers(trials)}).Estimate(view.LatencyOf(view.P99)); e.Low < 40e3 || e.High > 47e3 || e.Low >= e.High {
		t.Errorf("of eight: %+v", e)
	}
	if e := (view.SweepPoint{Trials: few[:1]}).Estimate(view.LatencyOf(view.P99)); e.Value != 40e3 || !math.IsNaN(e.Low) {
		t.Errorf("of one: %+v", e)
	}
}

func pointers(trials []record.Trial) (list []*record.Trial) {
	for i := range trials {
		list = append(list, &trials[i])
	}
	return list
}

// TestTimelines: what is before, during and after the traffic, and the service time, are
// shown where a study has them.
func TestTimelines(t *testing.T) {
	s := &record.Stress{}
	line := record.Timeline{Direction: record.Uplink, DurationS: 2}
	for i := -2; i <= 4; i++ {
		m := record.Moment{T: float64(i), DUTCores: 0.1, MemoryBytes: 20 << 20}
		if i > 0 && i <= 2 {
			m.DUTCores, m.RxPPS = 0.7, 50e3
		}
		line.Points = append(line.Points, m)
	}
	s.Timelines = []record.Timeline{line}
	s.ServiceTimes = []record.ServiceTime{{Direction: record.Uplink, LoadPPS: 1e4, MeanNS: 5000, SCV: 0.25,
		Delays: &record.Latency{Min: 4000, Count: 10, Buckets: []record.Bucket{{UpTo: 5000, Count: 9}, {UpTo: 9000, Count: 1}}}}}
	v := view.New(&record.Result{DUTs: []record.DUT{{Name: "upf", Trials: sixLoads(), Stress: s}}})
	f := Timelines(v).Blocks[0].(block.Figure)
	if len(f.Views) != 1 || len(f.Views[0].Panels) != 3 {
		t.Fatalf("%+v: CPU, memory and what arrived are known, switches and power are not", f.Views)
	}
	if want := "The UPF takes 0.100 cores before the traffic, 0.700 during it and 0.100 after it."; f.Views[0].Caption != want {
		t.Errorf("%q, want %q", f.Views[0].Caption, want)
	}
	f = Service(v).Blocks[0].(block.Figure)
	want := "Uplink, upf: 5.00 µs on average at 10.0 kpps, with a squared coefficient of variation of 0.25; " +
		"constant times have 0, exponential ones 1."
	if f.Views[0].Caption != want || len(f.Views[0].Panels[0].Series[0].Data) != 3 {
		t.Errorf("%+v", f.Views[0])
	}
}

// TestAtUPF: the delay at the UPF is drawn where it was timed.
func TestAtUPF(t *testing.T) {
	trials := sixLoads()
	if s := AtUPF(run(trials...)); len(s.Blocks) > 0 {
		t.Error("a chart of what was not timed")
	}
	for i := range trials {
		trials[i].AtDUT = &record.Latency{P50: 3000, P99: uint64(5000 + 1000*i), Count: 10}
	}
	one := AtUPF(run(trials...)).Blocks[0].(block.Figure).Views[0]
	want := "At the UPF itself p50 is 3.00 µs at 10.0 kpps and 3.00 µs at 60.0 kpps. At the UPF itself p99 is " +
		"5.00 µs at 10.0 kpps and 10.0 µs at 60.0 kpps."
	if len(one.Panels) != 2 || one.Caption != want {
		t.Errorf("%d panels: %q", len(one.Panels), one.Caption)
	}
}

// TestUnknownCPUIsNotDrawn: a UPF whose process upflab does not know has no CPU over time, rather than one of 0.
func TestUnknownCPUIsNotDrawn(t *testing.T) {
	for _, cores := range []float64{0, 0.5} {
		trials := sixLoads()
		for i := range trials {
			trials[i].CPU.DUTCores = cores
			trials[i].Series = []record.Point{{T: 0.1, DUTCores: cores}, {T: 0.2, DUTCores: cores}}
		}
		drawn := len(CPUOverTime(run(trials...)).Blocks) > 0
		if known := cores > 0; drawn != known {
			t.Errorf("%v cores: drawn %v", cores, drawn)
		}
	}
}
