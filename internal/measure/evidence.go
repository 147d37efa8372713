package measure

import (
	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/record"
)

// evidence is what is known of a trial, as its judge wants it.
func (r *run) evidence(t *record.Trial, b *bench, m *measured) verdict.Evidence {
	e := verdict.Evidence{
		Reference: b.endpoint.Wire, Max: m.spec.load.Max(),
		Intended: t.Intended, Tx: t.TxPackets, Rx: t.RxPackets, Wrong: t.Wrong,
		Duplicates: t.Duplicates, Foreign: t.Foreign, LateSlots: t.LateSlots, Stalls: t.Stalls,
		GeneratorBusy: t.CPU.GeneratorCores, DUTCoreBusy: t.CPU.CoreBusy, DUTCores: t.CPU.DUTCores,
		DUTCoreCount: len(r.placement.DUT), StealRatio: t.StealRatio,
		SharedCore: r.placement.Kind == host.Shared && b.site.OwnsUPF(), RunQueueDelay: m.usage.RunQueueDelay,
		Polls: b.endpoint.Polls, Useful: usefulOr0(m.useful), ReceivesElsewhere: b.receivesElsewhere(), External: !b.site.OwnsUPF(),
		LinkDrops: total(m.places, placeLink), SinkDrops: total(m.places, placeSink),
		DUTDrops: total(m.places, placeDUT), QueueDrops: overflown(m.places), Unplaced: t.Unplaced,
		Died: m.died, DurationS: t.DurationS, WantedS: m.schedule.Lasts(m.spec.duration).Seconds(),
		ClockStepS: m.clocks.Step.Seconds(), SuspendedS: m.clocks.Suspended.Seconds(),
	}
	if t.Latency != nil {
		e.Samples = t.Latency.Count
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
		CoreBusy: e.DUTCoreBusy, Others: e.Others(), Useful: known(e.Useful), RunQueueDelay: e.RunQueueDelay,
		SwitchesPerS: m.usage.SwitchesPerS, StealRatio: e.StealRatio, FrequencyMHz: known(m.mhz),
		WireRxPPS: known(e.WireRxPPS), ClockStepS: e.ClockStepS, SuspendedS: e.SuspendedS,
	}
	if t.Intended > 0 {
		x.TxRatio = float64(t.TxPackets) / float64(t.Intended)
	}
	if t.TxPackets > 0 {
		x.LateRatio = float64(t.LateSlots) / float64(t.TxPackets)
	}
	return x
}

// known is a number that is 0 where nobody tells.
func known(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}
