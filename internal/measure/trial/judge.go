package trial

import (
	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// fill writes the measurement into the trial.
func (m *measured) fill(t *record.Trial) {
	o, f := &m.outcome, m.whole()
	t.Started = m.Started
	t.Intended, t.TxPackets, t.RxPackets = o.Intended, f.Sent, f.Received
	if o.SendSeconds > 0 {
		t.DurationS = o.SendSeconds
		t.TxPPS, t.TxL2bps = float64(f.Sent)/o.SendSeconds, float64(8*f.SentBytes)/o.SendSeconds
		for _, d := range m.spec.Direction.Each() {
			one := m.flow(d)
			took := receiving(o, one)
			t.RxPPS += float64(one.Received) / took
			t.RxL2bps += float64(8*one.ReceivedBytes) / took
		}
	}
	t.FrameLossRatio = lossRatio(f)
	t.Duplicates, t.Reordered, t.Foreign, t.CEMarked = f.Duplicates, f.Reordered, f.Foreign, f.Marked
	t.WrongWhy, t.Wrong = f.Wrong, packets(f.Wrong)
	t.LossRuns, t.ReorderExtent = lossRuns(f.LossRuns), extent(f)
	t.Latency, t.Actual, t.Lateness = dueLatency(f, m.skippedEachWay()), figures(latency(&f.Actual, nil)), o.Lateness.Latency()
	t.All = m.all(m.slower())
	t.PDV, t.IPDV = f.Actual.Above(), figures(f.IPDV.Latency())
	t.JitterNS, t.LateSlots, t.Stalls, t.Skipped = f.JitterNS, o.LateSlots, o.Stalls, o.Skipped
	t.CPU = record.CPU{DUTCores: m.Usage.Cores, DUTParts: parts(m.Usage.Parts, m.Useful), CoreBusy: m.Usage.CoreBusy,
		GeneratorCores: o.BusyRatio,
		UsefulRatio:    m.Useful}
	t.Counters = perPacket(m.Usage.Counters, t.RxPackets)
	t.CPU.PerCore = perCore(m.Cores[0], m.Cores[1])
	t.StealRatio, t.MemoryBytes, t.ProgramNS = m.Stolen, m.Memory, m.ProgramNS
	t.Excluded = m.excluded()
	t.Energy = energyOf(m.Joules, m.Seconds, t)
	t.Drops, t.Unattributed = meters.Attributed(m.Drops, lost(f, t.Wrong, t.Excluded))
	t.Flows, t.Queues = m.flows(), m.Queues
	m.fillDelays(t)
	t.Hardware = hardware(&f.Stamps)
}

// hardware is nil where no NIC's times were read. Latencies are those of clocks that agree.
func hardware(s *traffic.Stamps) *record.HardwareLatency {
	if s.With+s.Without+s.Early == 0 && s.Why == "" {
		return nil
	}
	h := &record.HardwareLatency{With: s.With, Without: s.Without, Early: s.Early, ClockErrorNS: s.ErrorNS, Why: s.Why}
	if s.Early == 0 && s.Why == "" {
		h.Latency = s.Latency.Latency()
	}
	return h
}

// receiving is the time in which the received packets were carried, s: what is still
// queued in the DUT when sending ends arrives later, and takes time to. It is never
// less than the time of sending, for a DUT may fall silent.
func receiving(o *traffic.Outcome, f *traffic.FlowOutcome) float64 {
	return max(o.SendSeconds, f.ReceiveSeconds)
}

// lost is what did not arrive of the whole trial, as the counters of places have it.
func lost(f *traffic.FlowOutcome, wrong uint64, x *record.Excluded) uint64 {
	sent, arrived := f.Sent, f.Received+wrong
	if x != nil {
		sent, arrived = sent+x.TxPackets, arrived+x.RxPackets
	}
	return sent - min(sent, arrived)
}

// judge decides what limited a trial and whether it counts.
type judge struct {
	endpoint  dut.Endpoint
	placement record.Placement
	ours      bool // the UPF is on this machine
}

// decide gives the trial its verdict.
func (j judge) decide(t *record.Trial, m *measured) {
	e := j.evidence(t, m)
	v := verdict.Judge(j.undisturbed(e, t, m))
	t.LimitedBy, t.Valid, t.Faults = v.LimitedBy, v.Valid, v.Faults
	// "reasons" is always a list: append keeps the verdict's empty one, where slices.Concat returns nil.
	t.Reasons = append(append(v.Reasons, m.outcome.Doubts...), bound(t)...)
	if m.spec.Everything != "" {
		t.Reasons = append(t.Reasons, m.spec.Everything)
	}
	t.ReasonCodes = v.Codes
	t.Evidence = m.shown(t, e)
}

// receivesElsewhere reports whether the kernel's receive work for the UPF is on a
// CPU that is not the UPF's.
func (j judge) receivesElsewhere() bool {
	return j.ours && !j.endpoint.IsWire() && (!j.endpoint.XDP.Receives() || j.endpoint.Polls) && j.placement.Kind != host.Shared
}

// judgeOf holds what a verdict on a trial depends on besides the trial: where the work is done, and
// how the DUT handles packets.
func judgeOf(b *bench.Bench) judge {
	j := judge{endpoint: b.Endpoint, placement: b.Placement, ours: b.Owns()}
	if !j.ours {
		j.placement = j.placement.WithoutDUT()
	}
	return j
}
