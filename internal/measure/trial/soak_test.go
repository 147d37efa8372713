package trial

import (
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// TestCutSoak: a soak that the user ends is judged for as long as it was, not for
// what it should have sent.
func TestCutSoak(t *testing.T) {
	m := &measured{schedule: traffic.Schedule{PPS: 1000, Duration: time.Hour}}
	m.outcome.Intended, m.outcome.Sent, m.outcome.SendSeconds = 3600000, 9990, 10
	m.cut()
	if m.outcome.Intended != 10000 || m.spec.Duration != 10*time.Second {
		t.Errorf("of %d packets, %v", m.outcome.Intended, m.spec.Duration)
	}
}

func TestJudgeSoak(t *testing.T) {
	trial := record.Trial{Traffic: record.Traffic{TxPackets: 1e6, FrameLossRatio: 2e-5}, DurationS: 3600}
	for i := range 1000 {
		part := float64(i) / 1000
		trial.Series = append(trial.Series, record.Point{T: 3.6 * float64(i+1), P50: 5000, P99: 9000 + uint64(4000*part), DUTCores: 0.5,
			MemoryBytes: 100<<20 + uint64(i)<<12})
	}
	m := &measured{spec: Spec{Soak: &record.Soak{PlannedS: 3600, LossBudget: 1e-5}}}
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
		t.Errorf("a leak of 1000 pages an hour is shown as %g bytes", perHour)
	}
	m.spec.Soak.LossBudget = 2e-5
	if m.judgeSoak(&trial, scenario.Soak{}, time.Second); !trial.Soak.Kept {
		t.Error("as much as allowed is too much")
	}
}
