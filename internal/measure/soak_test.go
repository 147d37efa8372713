package measure

import (
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

func TestStepBoundsSeries(t *testing.T) {
	for trial, want := range map[time.Duration]time.Duration{
		0: 100 * time.Millisecond, time.Second: 100 * time.Millisecond, 200 * time.Second: 100 * time.Millisecond,
		201 * time.Second: 200 * time.Millisecond, time.Hour: 1800 * time.Millisecond, 24 * time.Hour: 43200 * time.Millisecond,
	} {
		if got := step(trial); got != want || trial/got > pointsMax {
			t.Errorf("a trial of %v has a point each %v, want %v", trial, got, want)
		}
	}
}

// TestSoakSpec: a search's rate goes before that at max, and a load that was given
// before both.
func TestSoakSpec(t *testing.T) {
	s := &scenario.Scenario{Duration: scenario.Duration{Duration: time.Hour}, Soak: scenario.Soak{Share: 0.5, LossBudget: 1e-6}}
	size := s.PacketSizes()[0]
	atMax := record.Trial{Direction: "uplink", Size: size.Name, Repeat: 1, RxPPS: 2e6}
	other := record.Trial{Direction: "uplink", Size: "imix", Repeat: 1, RxPPS: 3e6}
	ndr := record.Search{Direction: "uplink", Size: size.Name, Repeat: 1, NDRPPS: 1.2e6}
	for _, c := range []struct {
		why   string
		out   record.DUT
		load  float64
		pps   float64
		of    string
		label string
	}{
		{"at max", record.DUT{Trials: []record.Trial{atMax, other}}, 0, 1e6, "what arrived unpaced", "50 % soak"},
		{"searched", record.DUT{Trials: []record.Trial{atMax}, Searches: []record.Search{ndr}}, 0, 0.6e6, "the non-drop rate", "50 % soak"},
		{"given", record.DUT{Trials: []record.Trial{atMax}, Searches: []record.Search{ndr}}, 4e5, 2e5, "the load given", "200k soak"},
	} {
		spec, err := soakSpec(s, &c.out, trialSpec{direction: record.Uplink, size: size, load: record.Load{PPS: c.load}, repeat: 1})
		if err != nil || spec.load.PPS != c.pps || spec.soak.Of != c.of || spec.load.String() != c.label || spec.duration != time.Hour {
			t.Errorf("%s: %+v %+v, %v", c.why, spec, spec.soak, err)
		}
	}
	for _, d := range []record.Direction{record.Downlink, record.Uplink} {
		if _, err := soakSpec(s, &record.DUT{Trials: []record.Trial{{Direction: "uplink", Size: size.Name, Repeat: 1}}}, trialSpec{direction: d, size: size, repeat: 1}); err == nil {
			t.Errorf("%s: half of nothing is a load", d)
		}
	}
}

// TestSoakPlan: before a soak only what is needed to find its load is tried.
func TestSoakPlan(t *testing.T) {
	s, err := scenario.Get("soak")
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Scenario: s}
	for _, spec := range p.trials(1) {
		if !spec.load.Max() || spec.duration != finding || spec.soak != nil {
			t.Errorf("%+v", spec)
		}
	}
	s.Loads = []record.Load{{PPS: 1000}}
	if list := p.trials(1); len(list) != 0 {
		t.Errorf("for a load that is given: %+v", list)
	}
}

// TestCutSoak: a soak that the user ends is judged for as long as it was, not for
// what it should have sent.
func TestCutSoak(t *testing.T) {
	m := &measured{schedule: traffic.Schedule{PPS: 1000, Duration: time.Hour}}
	m.outcome.Intended, m.outcome.Sent, m.outcome.SendSeconds = 3600000, 9990, 10
	m.cut()
	if m.outcome.Intended != 10000 || m.spec.duration != 10*time.Second {
		t.Errorf("of %d packets, %v", m.outcome.Intended, m.spec.duration)
	}
}

func TestJudgeSoak(t *testing.T) {
	trial := record.Trial{TxPackets: 1e6, FrameLossRatio: 2e-5, DurationS: 3600}
	for i := range 1000 {
		part := float64(i) / 1000
		trial.Series = append(trial.Series, record.Point{T: 3.6 * float64(i+1), P50: 5000, P99: 9000 + uint64(4000*part), DUTCores: 0.5,
			MemoryBytes: 100<<20 + uint64(i)<<12})
	}
	m := &measured{spec: trialSpec{soak: &record.Soak{PlannedS: 3600, LossBudget: 1e-5}}}
	m.judgeSoak(&trial, scenario.Soak{LossBudget: 1e-5, Drift: 0.1, MemoryGrowth: 0.02}, 3600*time.Millisecond)
	k := trial.Soak
	if k.Kept || k.StepS != 3.6 || len(k.Drifts) != 4 {
		t.Fatalf("%+v", k)
	}
	for i, want := range []string{"steady", "rises", "steady", "rises"} {
		if k.Drifts[i].Verdict != want {
			t.Errorf("%s %s, want %s: %+v", k.Drifts[i].Quantity, k.Drifts[i].Verdict, want, k.Drifts[i])
		}
	}
	if perHour := k.Drifts[3].PerHour; math.Abs(perHour-1000<<12) > 0.01*(1000<<12) {
		t.Errorf("a leak of 1000 pages an hour is told as %g bytes", perHour)
	}
	m.spec.soak.LossBudget = 2e-5
	if m.judgeSoak(&trial, scenario.Soak{}, time.Second); !trial.Soak.Kept {
		t.Error("as much as allowed is too much")
	}
}
