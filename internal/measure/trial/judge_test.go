package trial

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// outcomeOf is a trial of one second in which so many packets were sent and
// arrived.
func outcomeOf(sent, received uint64) *measured {
	return &measured{
		spec: Spec{Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: float64(sent)}, Duration: time.Second},
		outcome: traffic.Outcome{Intended: sent, Sent: sent, SendSeconds: 1, Flows: []traffic.FlowOutcome{
			{Sent: sent, SentBytes: sent * 1486, Received: received, ReceivedBytes: received * 1442}, {},
		}},
	}
}

func TestFillComputesRates(t *testing.T) {
	m := outcomeOf(1000, 740)
	m.outcome.SendSeconds = 2
	m.outcome.Flows[0].Wrong = []record.Count{{Place: "TEID", Packets: 6}, {Place: "QFI", Packets: 4}}
	m.Drops = []meters.Drop{{Place: "ring", Packets: 200}}
	trial := record.Trial{PacketSize: record.PacketSize{FrameBytes: 1486}}
	m.fill(&trial)
	for what, v := range map[string][2]float64{
		"duration": {trial.DurationS, 2}, "tx pps": {trial.TxPPS, 500}, "rx pps": {trial.RxPPS, 370},
		"tx bit/s": {trial.TxL2bps, 500 * 1486 * 8}, "rx bit/s": {trial.RxL2bps, 370 * 1442 * 8},
		"loss ratio": {trial.FrameLossRatio, 0.26}, "wrong": {float64(trial.Wrong), 10},
		// 1000 sent; 740 received, 10 wrong, 200 in the ring: 50 without a place.
		"unattributed": {float64(trial.Unattributed), 50},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", what, v[0], v[1])
		}
	}
}

func TestFillOfNothing(t *testing.T) {
	trial := record.Trial{DurationS: 3}
	(&measured{}).fill(&trial)
	if trial.DurationS != 3 || trial.TxPPS != 0 || trial.FrameLossRatio != 0 || trial.Latency != nil {
		t.Errorf("%+v", trial)
	}
}

// A packet that was skipped counts in the latency, and is no sample of it.
func TestSkippedPacketsAreNoSamples(t *testing.T) {
	m := outcomeOf(100, 100)
	m.outcome.Flows[0].Latency.AddN(20_000, 100)
	m.outcome.Skipped = 900
	trial := record.Trial{PacketSize: record.PacketSize{FrameBytes: 1486}}
	m.fill(&trial)
	if n := (judge{ours: true}).evidence(&trial, m).Samples; trial.Latency.Count != 1000 || n != 100 {
		t.Errorf("%d samples of a latency of %d packets, 900 of which were skipped", n, trial.Latency.Count)
	}
}

func TestLost(t *testing.T) {
	for _, c := range []struct{ sent, received, wrong, want uint64 }{
		{10, 10, 0, 0}, {10, 7, 1, 2}, {10, 0, 0, 10}, {10, 11, 0, 0}, {10, 8, 4, 0},
	} {
		if got := lost(&traffic.FlowOutcome{Sent: c.sent, Received: c.received}, c.wrong, nil); got != c.want {
			t.Errorf("%+v: lost %d", c, got)
		}
	}
}

// judged runs a trial's numbers through fill and judge.
func judged(j judge, m *measured) record.Trial {
	trial := record.Trial{Kind: m.spec.Kind, Direction: "uplink", Load: m.spec.Load, Repeat: 1,
		PacketSize: record.PacketSize{FrameBytes: 1486}}
	m.fill(&trial)
	j.decide(&trial, m)
	return trial
}

// placed is how the CPUs of these tests are placed.
var placed = record.Placement{Kind: "separate", DUT: []int{1}}

// TestJudgeKnowsTheWire: what the wire received at a load is held against the DUT.
func TestJudgeKnowsTheWire(t *testing.T) {
	upf := judge{placement: placed, ours: true}
	full := func(wire float64) *measured {
		m := outcomeOf(2000000, 1000000)
		m.spec.Load, m.spec.Wire.RxPPS = record.Load{}, wire
		m.Usage.CoreBusy, m.Usage.Cores = 1, 1
		return m
	}
	if got := judged(upf, full(0)); got.LimitedBy != record.LimitLink {
		t.Errorf("without a wire before it: limited by %s %q", got.LimitedBy, got.Reasons)
	}
	if got := judged(upf, full(1900000)); got.LimitedBy != record.LimitDUT || !got.Valid {
		t.Errorf("with a faster wire: limited by %s, valid %v %q", got.LimitedBy, got.Valid, got.Reasons)
	}
}

// TestEvidenceOfTrial: what the verdict rests on is kept with the trial, and what
// is not known is left out.
func TestEvidenceOfTrial(t *testing.T) {
	m := outcomeOf(1000, 900)
	m.spec.Load = record.Load{PPS: 1000}
	m.outcome.LateSlots = 10
	m.Usage.CoreBusy, m.Usage.Cores, m.Usage.RunQueueDelay, m.Usage.SwitchesPerS = 0.6, 0.5, 0.2, 1200
	m.Drops = []meters.Drop{{Place: "UPF's kernel: socket rcvbuff", Side: record.SideDUT, Packets: 60, Queue: true},
		{Place: "its own", Side: record.SideDUT, Packets: 30}, {Place: record.PlaceUPFRing, Side: record.SideLink, Packets: 10}}
	m.Clocks.Step = -time.Second
	x := judged(judge{placement: placed, ours: true}, m).Evidence
	if x == nil {
		t.Fatal("there is none")
	}
	if x.TxRatio != 1 || x.LateRatio != 0.01 || *x.RunQueueDelay != 0.2 || *x.SwitchesPerS != 1200 || x.ClockStepS != -1 {
		t.Errorf("%+v", x)
	}
	if x.DUTDrops != 90 || x.QueueDrops != 60 || x.RingDrops != 10 || math.Abs(*x.Others-0.1) > 1e-9 {
		t.Errorf("drops %d, at queues %d, before it %d; others %g", x.DUTDrops, x.QueueDrops, x.RingDrops, *x.Others)
	}
	if x.FrequencyMHz != nil || x.WireRxPPS != nil || x.Useful != nil {
		t.Errorf("made up: %v %v %v", x.FrequencyMHz, x.WireRxPPS, x.Useful)
	}
}

// TestReasonsAreAList: a trial of which there is nothing to say has an empty list, as the result's
// format promises.
func TestReasonsAreAList(t *testing.T) {
	m := outcomeOf(1000, 1000)
	m.spec.Load = record.Load{PPS: 1000}
	if got := judged(judge{placement: placed, ours: true}, m); got.Reasons == nil || len(got.Reasons) > 0 {
		t.Errorf("reasons are %#v", got.Reasons)
	}
}

func TestJudgeOfDeadDUT(t *testing.T) {
	m := outcomeOf(1000, 300)
	m.died = true
	if got := judged(judge{placement: placed}, m); got.Valid || got.LimitedBy != record.LimitDUT {
		t.Errorf("valid %v, limited by %s", got.Valid, got.LimitedBy)
	}
}

// TestStolenFromOneOf16: what the hypervisor takes of the UPF's CPU counts in full, however many
// CPUs the machine has; what pauses that are excluded account for does not.
func TestStolenFromOneOf16(t *testing.T) {
	j := judge{placement: record.Placement{Kind: "separate", Generator: 2, Sink: 3, DUT: []int{1}}, ours: true}
	m := outcomeOf(100_000, 100_000)
	m.Usage = telemetry.Usage{Stolen: map[int]float64{}, Busy: map[int]float64{1: 0.4}}
	for cpu := range 16 {
		m.Usage.Stolen[cpu] = 0
	}
	m.Usage.Stolen[1] = 0.15
	m.Stolen = m.Usage.MostStolen(meters.RunCPUs(j.placement, j.ours)...)
	got := judged(j, m)
	if got.Valid || got.LimitedBy != record.LimitHost || got.StealRatio != 0.15 {
		t.Errorf("with 15 %% of the UPF's CPU stolen: valid %v, limited by %s, %g", got.Valid, got.LimitedBy, got.StealRatio)
	}
	m.outcome.Excluded.Of, m.outcome.Excluded.Windows = 1000, 150
	m.Disturbed.Entries = []disturbance.Entry{{Cause: disturbance.Paused, CPU: 1, Seconds: 0.15}}
	if got := judged(j, m); !got.Valid {
		t.Errorf("though the pauses are excluded: %q", got.Reasons)
	}
	m.Usage.Stolen[1], m.Usage.Stolen[9] = 0, 0.5
	m.Stolen, m.Disturbed.Entries = m.Usage.MostStolen(meters.RunCPUs(j.placement, j.ours)...), nil
	if got := judged(j, m); !got.Valid || got.StealRatio != 0 {
		t.Errorf("with a CPU stolen that is not the run's: %q, %g", got.Reasons, got.StealRatio)
	}
}

// TestWhereTheWorkIs: a verdict looks at the CPUs that work for the run on this machine, and knows
// whose receive work is not on the UPF's CPU.
func TestWhereTheWorkIs(t *testing.T) {
	at := record.Placement{Kind: "separate", Generator: 2, Sink: 3, DUT: []int{1}}
	for _, c := range []struct {
		story     string
		judge     judge
		cpus      []int
		elsewhere bool
	}{
		{"a UPF of sockets", judge{placement: at, ours: true}, []int{1, 2, 3}, true},
		{"a UPF that is an XDP program", judge{placement: at, ours: true, endpoint: dut.Endpoint{XDP: dut.NativeXDP}}, []int{1, 2, 3}, false},
		{"one that polls what XDP hands it",
			judge{placement: at, ours: true, endpoint: dut.Endpoint{XDP: dut.NativeXDP, Polls: true}}, []int{1, 2, 3},
			true},
		{"a wire", judge{placement: at, ours: true, endpoint: dut.Endpoint{Kind: dut.Bridge}}, []int{1, 2, 3}, false},
		{"a UPF on another machine", judge{placement: at}, []int{2, 3}, false},
	} {
		cpus := slices.Sorted(slices.Values(meters.RunCPUs(c.judge.placement, c.judge.ours)))
		if !slices.Equal(cpus, c.cpus) || c.judge.receivesElsewhere() != c.elsewhere {
			t.Errorf("%s: CPUs %v, receive work elsewhere %v", c.story, cpus, c.judge.receivesElsewhere())
		}
	}
}
