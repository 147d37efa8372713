package trial

import (
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// Raw is all that the figures of a trial are computed from: what was counted and read, before any
// analysis. Counts by time and histograms are in Outcome, Series and Passages, which are kept as
// tables.
type Raw struct {
	DUT   string       `json:"dut"`   // its label
	Trial record.Trial `json:"trial"` // what was known before it
	Spec  RawSpec      `json:"spec"`
	Judge RawJudge     `json:"judge"`
	// Died: the DUT ended during the trial. Stopped: the user ended it. Known: the process of a DUT
	// elsewhere is known.
	Died    bool         `json:"died,omitempty"`
	Stopped bool         `json:"stopped,omitempty"`
	Known   bool         `json:"known,omitempty"`
	StepNS  int64        `json:"step_ns"` // between points of the series
	Series  []Reading    `json:"series,omitempty"`
	Several *several     `json:"several,omitempty"` // hosts; nil: one
	CPU     RawCPU       `json:"cpu"`
	Counts  RawCounts    `json:"counts"`
	Clocks  RawClocks    `json:"clocks"`
	Others  RawDisturbed `json:"disturbed"`

	Outcome  traffic.Outcome      `json:"-"`
	Passages []delayprobe.Passage `json:"-"`
}

// RawSpec is what of the trial was asked for that its figures depend on.
type RawSpec struct {
	Max           bool         `json:"max,omitempty"`       // unpaced
	DurationNS    int64        `json:"duration_ns"`         // asked for
	WantedS       float64      `json:"wanted_s"`            // that its schedule lasts
	SilentNS      int64        `json:"silent_ns,omitempty"` // at its end, in which nothing is due
	Soak          *record.Soak `json:"soak,omitempty"`
	WireRxPPS     float64      `json:"wire_rx_pps,omitempty"` // of wire at the same load
	WireLossRatio float64      `json:"wire_frame_loss_ratio,omitempty"`
	NearestNS     float64      `json:"nearest_ns,omitempty"` // least core-to-core latency of the run
	Everything    string       `json:"everything,omitempty"` // why everything counts
}

// RawJudge is where the work was done, and how the DUT handles packets.
type RawJudge struct {
	Kind      dut.Kind         `json:"kind"`
	XDP       dut.XDP          `json:"xdp"`
	Polls     bool             `json:"polls,omitempty"`
	Ours      bool             `json:"ours"` // upflab placed the DUT
	Placement record.Placement `json:"placement"`
}

// RawCPU is processor time, memory and energy.
type RawCPU struct {
	Before      telemetry.Sample          `json:"before"` // at the first slot
	After       telemetry.Sample          `json:"after"`  // after the last
	Cores       [2]map[int]telemetry.Core `json:"cores"`  // likewise
	UsefulRatio *float64                  `json:"useful_ratio,omitempty"`
	Meters      [2]*dut.Meter             `json:"meters"` // of a UPF elsewhere
	MHz         float64                   `json:"mhz,omitempty"`
	ProgramNS   float64                   `json:"program_ns,omitempty"`
	MemoryBytes uint64                    `json:"memory_bytes"`
	StolenRatio float64                   `json:"stolen_ratio"`
	Joules      *float64                  `json:"joules,omitempty"`
	Throttled   telemetry.Throttling      `json:"throttled"`
	LimitCPUs   float64                   `json:"limit_cpus,omitempty"`
}

// RawCounts are counters of places.
type RawCounts struct {
	Drops     []RawDrop         `json:"drops,omitempty"`
	LinksDown []string          `json:"links_down,omitempty"`
	Queues    []record.QueueUse `json:"queues,omitempty"`
}

// RawDrop is how many packets a place lost in the trial.
type RawDrop struct {
	Place   record.Place `json:"place"`
	Side    record.Side  `json:"side"`
	Packets uint64       `json:"packets"`
	Queue   bool         `json:"queue,omitempty"`
}

// RawClocks is what clocks did.
type RawClocks struct {
	Started     time.Time `json:"started"`
	StepNS      int64     `json:"step_ns"`
	SuspendedNS int64     `json:"suspended_ns"`
	LineNS      float64   `json:"line_ns"` // core-to-core latency
}

// RawDisturbed is who took CPUs of the run.
type RawDisturbed struct {
	Entries  []disturbance.Entry `json:"entries,omitempty"`
	Of       uint64              `json:"of"`
	Cut      uint64              `json:"cut"`
	BacklogS float64             `json:"backlog_s"`
}

// keepRaw hands the raw data of a trial on, and gives the number of their record; 0: they are not kept.
func (dp *Deployment) keepRaw(t record.Trial, m *measured) (uint64, error) {
	if dp.cfg.Raw == nil {
		return 0, nil
	}
	raw := m.raw(judgeOf(dp.Bench))
	raw.DUT, raw.Trial = dp.Label, t
	if len(dp.Scenario.Classes()) < 2 {
		raw.forgetSessions()
	}
	return dp.cfg.Raw(raw)
}

// forgetSessions leaves out what only classes of sessions need.
func (r *Raw) forgetSessions() {
	flows := make([]traffic.FlowOutcome, len(r.Outcome.Flows))
	for i, f := range r.Outcome.Flows {
		f.SentBySession, f.ReceivedBySession = nil, nil
		flows[i] = f
	}
	r.Outcome.Flows = flows
}

func (m *measured) raw(j judge) *Raw {
	before, after := m.Samples[0], m.Samples[1]
	took := after.At.Sub(before.At)
	before.At = before.At.Round(0)
	after.At = before.At.Add(took) // a file keeps no monotonic clock: what lies between is exact
	r := &Raw{
		Spec: RawSpec{Max: m.spec.Load.Max(), DurationNS: int64(m.spec.Duration), WantedS: m.wantedS, SilentNS: int64(m.silent), Soak: m.spec.Soak,
			WireRxPPS: m.spec.Wire.RxPPS, WireLossRatio: m.spec.Wire.LossRatio, NearestNS: m.spec.NearestNS,
			Everything: m.spec.Everything},
		Judge: RawJudge{Kind: j.endpoint.Kind, XDP: j.endpoint.XDP, Polls: j.endpoint.Polls, Ours: j.ours, Placement: j.placement},
		Died:  m.died, Stopped: m.stopped, Known: m.known, StepNS: int64(m.step), Series: m.series, Several: m.several,
		CPU: RawCPU{Before: before, After: after, Cores: m.Cores, UsefulRatio: m.Useful, Meters: m.Remote.Exact(), MHz: m.MHz,
			ProgramNS: m.ProgramNS, MemoryBytes: m.Memory, StolenRatio: m.Stolen, Joules: m.Joules, Throttled: m.Throttled, LimitCPUs: m.CPULimit},
		Counts: RawCounts{LinksDown: m.Down, Queues: m.Queues},
		Clocks: RawClocks{Started: m.Started, StepNS: int64(m.Clocks.Step), SuspendedNS: int64(m.Clocks.Suspended), LineNS: m.LineNS},
		Others: RawDisturbed{m.Disturbed.Entries, m.Disturbed.Of, m.Disturbed.Cut, m.Disturbed.Backlog},

		Outcome: m.outcome, Passages: m.Passages,
	}
	for _, d := range m.Drops {
		r.Counts.Drops = append(r.Counts.Drops, RawDrop{d.Place, d.Side, d.Packets, d.Queue})
	}
	return r
}

func (r *Raw) measured() *measured {
	m := &measured{
		spec: Spec{Kind: r.Trial.Kind, Direction: r.Trial.Direction, Load: r.Trial.Load, Duration: time.Duration(r.Spec.DurationNS),
			Soak: r.Spec.Soak, Wire: Wire{r.Spec.WireRxPPS, r.Spec.WireLossRatio}, NearestNS: r.Spec.NearestNS, Everything: r.Spec.Everything},
		outcome: r.Outcome, wantedS: r.Spec.WantedS, died: r.Died, stopped: r.Stopped, known: r.Known,
		series: r.Series, step: time.Duration(r.StepNS), several: r.Several,
		Readings: meters.Readings{
			Started: r.Clocks.Started, Seconds: r.CPU.After.At.Sub(r.CPU.Before.At).Seconds(),
			Samples: [2]telemetry.Sample{r.CPU.Before, r.CPU.After}, Usage: telemetry.Between(r.CPU.Before, r.CPU.After),
			Stolen: r.CPU.StolenRatio, Down: r.Counts.LinksDown,
			Clocks: telemetry.ClockChange{Step: time.Duration(r.Clocks.StepNS), Suspended: time.Duration(r.Clocks.SuspendedNS)},
			Useful: r.CPU.UsefulRatio, Remote: meters.Remote{Before: r.CPU.Meters[0], After: r.CPU.Meters[1]}, MHz: r.CPU.MHz,
			ProgramNS: r.CPU.ProgramNS, Memory: r.CPU.MemoryBytes, Passages: r.Passages,
			Disturbed: disturbance.Summary{Entries: r.Others.Entries, Of: r.Others.Of, Cut: r.Others.Cut, Backlog: r.Others.BacklogS},
			LineNS:    r.Clocks.LineNS, Joules: r.CPU.Joules, Cores: r.CPU.Cores, Queues: r.Counts.Queues,
			Throttled: r.CPU.Throttled, CPULimit: r.CPU.LimitCPUs,
		},
	}
	if !r.Spec.Max && m.spec.Load.Max() {
		m.spec.Load.Kind = record.LoadAuto // its text is that of a rate which was not known before
	}
	for _, d := range r.Counts.Drops {
		m.Drops = append(m.Drops, meters.Drop{Place: d.Place, Side: d.Side, Packets: d.Packets, Queue: d.Queue})
	}
	return m
}

// Recompute gives the trial that follows from the raw data, by what the run itself computed it with.
func (r *Raw) Recompute(s *scenario.Scenario) record.Trial {
	j := judge{endpoint: dut.Endpoint{Kind: r.Judge.Kind, XDP: r.Judge.XDP, Polls: r.Judge.Polls}, placement: r.Judge.Placement, ours: r.Judge.Ours}
	t := r.Trial
	r.measured().complete(&t, j, s)
	return t
}
