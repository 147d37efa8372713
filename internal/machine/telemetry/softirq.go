package telemetry

import "time"

// softirq is the time that a subject's CPUs spent in softirqs between two samples, and
// that its threads' own time does not hold.
//
// Depending on the kernel, a thread's time holds the softirqs that ran on top of it or
// not (CONFIG_IRQ_TIME_ACCOUNTING): those count as far as its CPUs were busy for longer than
// its threads ran.
func softirq(a, b Sample) time.Duration {
	core := sumOf(b.Cores, b.CPUs).Sub(sumOf(a.Cores, b.CPUs))
	rest := core.Busy() - (b.Process - a.Process) - (b.NAPI - a.NAPI)
	if a.SoftIRQ == nil || b.SoftIRQ == nil {
		return max(0, min(rest, core.SoftIRQ+core.IRQ))
	}
	outside, inside := b.SoftIRQ.Outside-a.SoftIRQ.Outside, b.SoftIRQ.Inside-a.SoftIRQ.Inside
	return max(0, outside) + max(0, min(inside, rest-outside))
}
