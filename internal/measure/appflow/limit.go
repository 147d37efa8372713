package appflow

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// Bench is what the same flow came to without a UPF, in the same run; nil: not measured,
// or not valid.
type Bench struct {
	Plain   *record.AppFlow // plain forwarding, without GTP-U
	Gateway *record.AppFlow // the gateway and a bare decapsulator
	// RAN is true where the UEs are behind a RAN that is not upflab's: then Gateway is that
	// RAN with a UPF that is not the limit.
	RAN bool
	// Direct is true of a flow that went by neither, but straight to the data network.
	Direct bool
}

const (
	// carried is the most loss, and short the least share of the offered load sent, of a
	// flow that was carried whole.
	carriedLoss = 0.001
	carriedSent = 0.97
	// atCeiling is the share of what the bench carries from which the bench is the limit.
	atCeiling = 0.9
	// mostly is the share of the losses that decides where packets were lost.
	mostly = 0.5
	// full is how busy a program, or a CPU, is that can do no more.
	full = 0.9
	// stolen is the share of the time that a host may take away.
	stolen = 0.02
	// crowded is how many cores programs that are not part of the run may use.
	crowded = 0.1
)

// Judge says what limited a flow, from the evidence in it and what the bench carries.
// reference is the name of a bench without a UPF, "" of a UPF.
func Judge(f *record.AppFlow, b Bench, reference bool) {
	f.OfPlain, f.OfGateway = share(f, b.Plain), share(f, b.Gateway)
	if f.StealRatio > stolen {
		f.Valid = false
		f.Reasons = append(f.Reasons, fmt.Sprintf("the host took %.1f %% of the CPUs' time", f.StealRatio*100))
	}
	if f.CPU.Others > crowded {
		f.Valid = false
		f.Reasons = append(f.Reasons, fmt.Sprintf("other programs on this machine used %.2g cores meanwhile: end them", f.CPU.Others))
	}
	if mergedTooLong(f) {
		f.Reasons = append(f.Reasons,
			"GRO is on at the UPF's N6, and TCP hardly gets through downlink: segments that the kernel has merged "+
				"are longer than "+
				"N3's MTU, and this datapath cannot cut them; switch GRO off there (ethtool -K DEVICE gro off; here: --set gro=off)")
	}
	f.LimitedBy = limit(f, b, reference)
	if b.RAN && f.LimitedBy == record.LimitUnknown {
		f.Reasons = append(f.Reasons,
			"what the RAN carries without this UPF is not known: set external_ue.bench_interface to an interface "+
				"of the same RAN "+
				"whose session leads through a UPF that is not the limit, such as upflab upf, or external_ue.processes to watch the RAN's CPU")
	}
}

// collapsed is the share of what the bench without a UPF carries below which TCP is lost
// rather than slow.
const collapsed = 0.05

// mergedTooLong reports whether a flow shows what merged segments do to a UPF that cannot
// cut them.
func mergedTooLong(f *record.AppFlow) bool {
	return f.Merged && f.Kind == record.FlowTCP && f.Direction == record.Downlink && f.Retransmits > 0 &&
		f.OfPlain > 0 && f.OfPlain < collapsed
}

// share is a flow's goodput compared with another's; 0: not known.
func share(f, of *record.AppFlow) float64 {
	if of == nil || of.GoodputBPS == 0 {
		return 0
	}
	return f.GoodputBPS / of.GoodputBPS
}

func limit(f *record.AppFlow, b Bench, reference bool) record.Limit {
	switch {
	case f.StealRatio > stolen || f.CPU.Others > crowded:
		return record.LimitHost
	case mergedTooLong(f):
		return record.LimitMTU
	case f.TooBig > 0 && (f.StalledS > 0 || f.GoodputBPS == 0 && !record.InFrames(f.Kind) || f.LossRatio > carriedLoss):
		return record.LimitMTU
	case f.Kind == record.FlowPing || f.Kind == record.FlowHTTP:
		return record.LimitNone
	case record.InFrames(f.Kind):
		return late(f, b, reference)
	case f.OfferedBPS > 0 && f.SentBPS >= carriedSent*f.OfferedBPS && f.GoodputBPS >= carriedSent*f.OfferedBPS && f.LossRatio <= carriedLoss:
		return record.LimitNone
	}
	if f.Kind == record.FlowUDP && f.Lost > 0 && float64(f.SocketDrops) >= mostly*float64(f.Lost) {
		return record.LimitIperf // it did not read them
	}
	switch ceiling := max(f.OfGateway, f.OfPlain); {
	case f.CPU.RAN >= full:
		return record.LimitRAN
	case reference || ceiling >= atCeiling:
		return bench(f, b)
	case b.RAN && f.OfGateway == 0:
		return device(f, false) // what differs from plain forwarding is the RAN, too
	default:
		return device(f, ceiling > 0)
	}
}

// satisfied is how many frames have to be in time, TR 38.838 clause 5.
const satisfied = 0.99

// late names what keeps frames from being in time: the UPF, where the bench without it does better.
func late(f *record.AppFlow, b Bench, reference bool) record.Limit {
	inTime := func(f *record.AppFlow) bool {
		return f != nil && !slices.ContainsFunc(f.Frames, func(one record.Frames) bool { return one.InTimeRatio() < satisfied })
	}
	switch {
	case inTime(f):
		return record.LimitNone
	case reference:
		return bench(f, b)
	}
	return device(f, inTime(b.Gateway) || b.Gateway == nil && inTime(b.Plain))
}

// bench names the part of the bench that is the limit where a UPF is not.
func bench(f *record.AppFlow, b Bench) record.Limit {
	switch {
	case f.CPU.Sender >= full || f.CPU.Receiver >= full:
		return record.LimitIperf
	case b.RAN:
		return record.LimitRAN
	case b.Direct:
		return record.LimitLink
	}
	return record.LimitGateway
}

// device judges a flow that reached less than the bench carries, or whose bench is not
// known: then the limit is the part that was full.
func device(f *record.AppFlow, known bool) record.Limit {
	switch {
	case known:
		return record.LimitDUT // nothing else differs
	case f.CPU.DUT >= full:
		return record.LimitDUT
	case f.Kind == record.FlowUDP && f.GoodputBPS < f.SentBPS/2:
		return record.LimitUnknown // most of what was sent was lost: the sender is not the limit
	case f.CPU.Sender >= full || f.CPU.Receiver >= full:
		return record.LimitIperf
	}
	return record.LimitUnknown
}
