package trial

import (
	"slices"

	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
)

// evidence is what is known of a trial, as its judge wants it.
func (j judge) evidence(t *record.Trial, m *measured) verdict.Evidence {
	e := verdict.Evidence{
		Reference: j.endpoint.IsWire(), Max: m.spec.Load.Max(),
		Intended: t.Intended, Tx: t.TxPackets, Rx: t.RxPackets, Wrong: t.Wrong,
		Duplicates: t.Duplicates, Foreign: t.Foreign, LateSlots: t.LateSlots, Skipped: t.Skipped, Stalls: t.Stalls,
		GeneratorBusy: t.CPU.GeneratorCores, DUTCoreBusy: t.CPU.CoreBusy, DUTCores: t.CPU.DUTCores,
		DUTCoreCount: len(j.placement.DUT), StealRatio: t.StealRatio,
		SharedCore: j.placement.Kind == host.Shared && j.ours, RunQueueDelay: m.Usage.RunQueueDelay,
		Polls: j.endpoint.Polls, Useful: usefulOr0(m.Useful), ReceivesElsewhere: j.receivesElsewhere(), External: !j.ours,
		Known:     len(t.CPU.DUTParts) > 0,
		LinkDrops: meters.Total(m.Drops, record.SideLink), SinkDrops: meters.Total(m.Drops, record.SideSink),
		DUTDrops: meters.Total(m.Drops, record.SideDUT), QueueDrops: meters.Overflown(m.Drops), Unattributed: t.Unattributed,
		Died: m.died, LinksDown: m.Down, DurationS: t.DurationS, WantedS: m.wantedS,
		ClockStepS: m.Clocks.Step.Seconds(), SuspendedS: m.Clocks.Suspended.Seconds(),
	}
	e.WireRxPPS, e.WireLossRatio = m.spec.Wire.RxPPS, m.spec.Wire.LossRatio
	e.OfferedPPS, e.LineRatePPS = m.spec.Load.PPS, t.LineRatePPS()
	e.LineNS, e.NearestNS = m.LineNS, m.spec.NearestNS
	e.ThrottledS, e.CPULimit = m.Throttled.Time.Seconds(), m.CPULimit
	if j.ours {
		e.BusiestCore, e.BusiestThread = m.Usage.Busiest(j.placement.DUT...), m.Usage.BusiestThread
	}
	if t.Latency != nil {
		e.Samples = t.Latency.Count - t.Latency.Skipped // which have no latency of their own
	}
	if t.Lateness != nil {
		e.LatenessP99NS, e.LatenessMaxNS = t.Lateness.P99, t.Lateness.Max
	}
	return e
}

// shown is the evidence as the result keeps it.
func (m *measured) shown(t *record.Trial, e verdict.Evidence) *record.Evidence {
	x := &record.Evidence{
		LatenessP99NS: e.LatenessP99NS, Stalls: e.Stalls, GeneratorBusy: e.GeneratorBusy,
		RingDrops: e.LinkDrops, SinkDrops: e.SinkDrops, DUTDrops: e.DUTDrops, QueueDrops: e.QueueDrops,
		Useful: known(e.Useful), StealRatio: t.StealRatio, FrequencyMHz: known(m.MHz),
		WireRxPPS: known(e.WireRxPPS), LineNS: known(e.LineNS), ClockStepS: e.ClockStepS, SuspendedS: e.SuspendedS,
		ThrottledS: e.ThrottledS,
	}
	others := e.Others()
	if !e.External || e.DUTCoreBusy > 0 {
		x.CoreBusy, x.Others = &e.DUTCoreBusy, &others
	}
	if !e.External {
		x.BusiestCore, x.BusiestThread = &e.BusiestCore, &e.BusiestThread
	}
	if !e.External || slices.ContainsFunc(t.CPU.DUTParts, func(p record.Share) bool { return p.Name == telemetry.OwnThreads }) {
		x.RunQueueDelay, x.SwitchesPerS = &e.RunQueueDelay, &m.Usage.SwitchesPerS
	}
	if e.WireRxPPS > 0 {
		x.WireLossRatio = &e.WireLossRatio
	}
	if t.Intended > 0 {
		x.TxRatio = float64(t.TxPackets) / float64(t.Intended)
	}
	if t.TxPackets > 0 {
		x.LateRatio = float64(t.LateSlots) / float64(t.TxPackets)
	}
	return x
}

// known is nil for a number that is 0 where it is not known.
func known(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}
