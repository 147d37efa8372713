package verdict

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

const (
	// txTolerance is how far sent may be from intended: a pacer that holds
	// 0.1 % does not show in any rate printed with three digits.
	txTolerance = 0.001
	// txSlack packets may differ whatever the ratio: the slot that falls due
	// as the trial ends.
	txSlack = 1
	// stealMax is where stolen time stops being noise: beyond 2 % of a core
	// it exceeds the differences that people compare UPFs for.
	stealMax = 0.02
	// sinkLossMax bounds the sink's own loss. The sink cannot separate it from
	// the DUT's, so it has to stay well under any loss worth reporting.
	sinkLossMax = 0.0001
	// durationShort: rates of a trial cut by more than 5 % are not those of
	// the duration asked for.
	durationShort = 0.05
	// stretchMax: a trial whose packets took over 2 % longer than they should was
	// one at a lower load.
	stretchMax = 0.02
	// wrongMax: above one in a thousand the DUT does something else than the
	// rules ask, and its speed at that is not its speed at forwarding.
	wrongMax = 0.001
	// countSlack is how many more packets than sent may be counted as
	// received before the counters are not to be believed.
	countSlack = 0.0001
	// catchUpMax late packets, over half of a veth ring, are what the generator
	// may catch up before a ring that overflows is its doing.
	catchUpMax = 128
)

// fault is a reason for which a trial is not valid.
type fault struct {
	code record.Fault
	text string
}

// faults are the reasons for which a trial is not valid.
func faults(e Evidence) (why []fault) {
	for _, check := range [...]struct {
		code record.Fault
		of   func(Evidence) string
	}{
		{record.FaultDUTEnded, diedFault}, {record.FaultLinkDown, linkFault}, {record.FaultNotSent, sentFault}, {record.FaultCounters, receivedFault},
		{record.FaultCutShort, durationFault}, {record.FaultStretched, stretchFault}, {record.FaultSteal, stealFault},
		{record.FaultThrottled, throttledFault},
		{record.FaultSink, sinkFault}, {record.FaultCatchUp, catchUpFault}, {record.FaultWrong, wrongFault},
		{record.FaultClock, clockFault}, {record.FaultAsleep, asleepFault},
	} {
		if text := check.of(e); text != "" {
			why = append(why, fault{check.code, text})
		}
	}
	return why
}

func diedFault(e Evidence) string {
	if !e.Died {
		return ""
	}
	return "the DUT ended during the trial"
}

func linkFault(e Evidence) string {
	switch len(e.LinksDown) {
	case 0:
		return ""
	case 1:
		return "the link of " + e.LinksDown[0] + " was down during the trial, at one of its ends"
	}
	return "the links of " + strings.Join(e.LinksDown, " and ") + " were down during the trial, each at one of its ends"
}

func sentFault(e Evidence) string {
	if e.Tx == 0 {
		return "the generator sent nothing"
	}
	if short := txShort(e); short > 0 {
		return fmt.Sprintf("generator sent %s less than intended (%s of %s packets)", percent(short), count(e.Tx), count(e.Intended))
	}
	if over := shortfall(e.Tx, e.Intended); !e.Max && over > txSlack && ratio(over, e.Intended) > txTolerance {
		return fmt.Sprintf("generator sent %s more than intended (%s for %s packets)",
			percent(ratio(over, e.Intended)), count(e.Tx), count(e.Intended))
	}
	return ""
}

// txShort is the part of the intended packets that was not sent, 0 within the
// tolerance.
func txShort(e Evidence) float64 {
	short := shortfall(e.Intended, e.Tx)
	part := ratio(short, e.Intended)
	if e.Max || short <= txSlack || part <= txTolerance {
		return 0
	}
	return part
}

func receivedFault(e Evidence) string {
	if e.Tx > 0 && e.Rx == 0 {
		return fmt.Sprintf("none of %s packets arrived as the rules ask", count(e.Tx))
	}
	if ratio(shortfall(e.Rx, e.Tx), e.Tx) > countSlack {
		return fmt.Sprintf("counted %s received of %s sent: the counters are not to be believed", count(e.Rx), count(e.Tx))
	}
	return ""
}

// durationFault: the trial ended early.
func durationFault(e Evidence) string {
	if e.lasted(e.whole()) {
		return ""
	}
	return fmt.Sprintf("trial lasted %.3g s of %.3g s", e.whole(), e.WantedS)
}

// stretchFault: everything was sent, but later than it was due.
func stretchFault(e Evidence) string {
	if !stretched(e) {
		return ""
	}
	return fmt.Sprintf("the generator took %.3g s for what was due in %.3g s: it did not reach the load", e.DurationS, e.WantedS)
}

// stretched reports whether the trial took longer because packets left late, and
// not because the arrival process has its last one later.
func stretched(e Evidence) bool {
	late := float64(e.LatenessMaxNS) / 1e9
	return !e.Max && e.WantedS > 0 && e.DurationS > e.WantedS*(1+stretchMax) && late > e.WantedS*stretchMax
}

// stealGrain is the unit in which the kernel counts stolen time, s: one more may be noise.
const stealGrain = 0.01

// stolen reports whether the hypervisor took more of a CPU of the run than is noise.
func stolen(e Evidence) bool {
	return e.StealRatio > stealMax && (e.StealRatio-stealMax)*e.whole() > stealGrain
}

func stealFault(e Evidence) string {
	if !stolen(e) {
		return ""
	}
	return fmt.Sprintf("the hypervisor took %s of the time of a CPU of the run (limit %s)", percent(e.StealRatio), percent(stealMax))
}

// throttled reports whether a CPU limit took more of the trial than the hypervisor may.
func throttled(e Evidence) bool { return e.ThrottledS > stealMax*e.whole() }

func throttledFault(e Evidence) string {
	if !throttled(e) {
		return ""
	}
	return fmt.Sprintf("the CPU limit of the pod or container (%.3g CPUs) kept upflab and what it started from "+
		"running for %.3g s: raise the limit, or ask for whole CPUs without one", e.CPULimit, e.ThrottledS)
}

func sinkFault(e Evidence) string {
	if !sinkLossy(e) {
		return ""
	}
	return fmt.Sprintf("our sink could not keep up: it lost %s packets, %s of those sent", count(e.SinkDrops),
		percent(ratio(e.SinkDrops, e.Tx)))
}

func sinkLossy(e Evidence) bool { return ratio(e.SinkDrops, e.Tx) > sinkLossMax }

// catchUpFault: a generator that was kept from its CPU sends what has fallen due at
// twice the load. A DUT that does not carry that fills the ring before it.
func catchUpFault(e Evidence) string {
	if !overrun(e) {
		return ""
	}
	return fmt.Sprintf("the generator stalled for %.3g ms, then sent %s late packets in a burst that "+
		"overflowed the ring before the UPF: bench loss, not UPF loss",
		float64(e.LatenessMaxNS)/1e6, count(e.catchUp()))
}

// overrun reports whether packets were lost before the DUT because the generator
// had to catch up: a ring lost them, and no more than were late.
func overrun(e Evidence) bool {
	n := e.catchUp()
	return !e.Max && n > catchUpMax && e.lossRatio() > lossNone &&
		ratio(e.LinkDrops, e.lost()) >= explains && e.LinkDrops <= max(e.Stalls, 1)*n
}

// catchUp is how many packets were due at most when the generator went on, packets.
func (e Evidence) catchUp() uint64 {
	if e.DurationS <= 0 {
		return 0
	}
	return uint64(float64(e.LatenessMaxNS) / 1e9 * float64(e.Intended) / e.DurationS)
}

func wrongFault(e Evidence) string {
	part := ratio(e.Wrong, e.Rx+e.Wrong)
	if part <= wrongMax {
		return ""
	}
	return fmt.Sprintf("%s packets (%s of those that arrived) were not as the rules ask", count(e.Wrong), percent(part))
}

// clockFault: everything but what an engine takes by the wall clock counts by one
// that is never set.
func clockFault(e Evidence) string {
	if e.ClockStepS == 0 || !e.ByWallClock {
		return ""
	}
	return fmt.Sprintf("the wall clock, by which latency was taken, was set by %+.3g s during the trial", e.ClockStepS)
}

// asleepFault: a testbed on this machine slept as a whole; a UPF elsewhere went on.
func asleepFault(e Evidence) string {
	if e.SuspendedS == 0 || !e.External {
		return ""
	}
	return fmt.Sprintf("this machine was suspended for %.3g s during the trial, and the UPF elsewhere was not", e.SuspendedS)
}
