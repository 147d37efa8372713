package verdict

import (
	"fmt"
	"slices"
	"strings"
)

// disturbedMuch: where less than a third of the time counts, three times the time does
// not give what was asked for.
const disturbedMuch = 2.0 / 3

// whole is how long the trial took, s, with what of it does not count.
func (e Evidence) whole() float64 {
	if e.Void {
		return e.DurationS
	}
	return e.DurationS + e.DisturbedS
}

// lasted reports whether a trial of so many seconds is as long as was asked for. It
// grants one interval: n slots span n-1 intervals, which at one packet a second is a
// tenth of a ten-second trial.
func (e Evidence) lasted(seconds float64) bool {
	slot := e.DurationS / float64(max(e.Tx, 2)-1)
	return e.WantedS <= 0 || seconds+slot >= e.WantedS*(1-durationShort)
}

// ownWork is the name of this program's threads that neither send nor receive.
const ownWork = "upflab itself"

// briefly is a time in seconds, of which less than a millisecond is as good as none.
func briefly(seconds float64) string {
	if seconds < 1e-3 {
		return "less than 1 ms"
	}
	return fmt.Sprintf("only %.3g s", seconds)
}

// disturbedDoubt: less of the trial was undisturbed than was asked for.
func disturbedDoubt(e Evidence) string {
	whole := e.whole()
	undisturbed := max(0, whole-e.DisturbedS)
	if e.DisturbedS == 0 || whole == 0 || e.lasted(undisturbed) {
		return ""
	}
	text := fmt.Sprintf("%s of the %.3g s asked for were undisturbed, in %.3g s", briefly(undisturbed), e.WantedS, whole)
	if e.Void {
		text += ", too little to count nothing else: everything counts"
	}
	switch {
	case e.DisturbedS/whole < disturbedMuch:
		return text
	case e.Disturber == ownWork:
		return text + "; most was taken by upflab's own bookkeeping: give the run CPUs of its own (cpu), a third helps"
	case e.Disturber != "":
		return text + fmt.Sprintf("; most was taken by %s", e.disturberAdvice())
	}
	return text + "; the host takes the CPUs: loads above what a ring of 256 packets holds for such a pause need " +
		"a machine whose CPUs are its own"
}

// ownCPUs is what always helps against others.
const ownCPUs = "give the run CPUs of its own (cpu)"

// disturberAdvice says what disturbed most, as far as its name says more, and what to do. Only a
// program that cannot be the UPF can be ended.
func (e Evidence) disturberAdvice() string {
	device, receives := strings.CutPrefix(e.Disturber, "napi/")
	number, interrupt := strings.CutPrefix(e.Disturber, "interrupt ")
	mayBeUPF := e.External && !e.Known
	const name = "its process (external.pid) tells upflab so, and its work is no disturbance then"
	switch {
	case receives:
		text := fmt.Sprintf("%s, the kernel's receive work for the device %s", e.Disturber, device[:max(0, strings.LastIndexByte(device, '-'))])
		if mayBeUPF {
			return text + ": if that is the UPF's device, " + name + "; else " + ownCPUs
		}
		return text + ": keep its traffic away, or " + ownCPUs
	case interrupt:
		return fmt.Sprintf("%s: move it to another CPU (/proc/irq/%s/smp_affinity_list), or %s", e.Disturber, strings.Fields(number + " N")[0], ownCPUs)
	case ofKernel(e.Disturber):
		return e.Disturber + ", which is the kernel's work and no program: " + ownCPUs
	case mayBeUPF:
		return e.Disturber + ": if that is the UPF, " + name + "; else end it, or " + ownCPUs
	}
	return e.Disturber + ": end it, or " + ownCPUs
}

// kernelThreads are how names of the kernel's threads, and of its work in softirqs, begin.
var kernelThreads = []string{"kworker/", "ksoftirqd/", "migration/", "rcu", "irq/", "kdamond", "kswapd", "kcompactd",
	"khugepaged", "kauditd", "jbd2/", "cpuhp/", "ktimers/", "idle_inject/", "irq_work/", "watchdog/", "kthreadd", "softirq "}

// ofKernel reports whether a name is that of a thread of the kernel's, which nobody can end.
func ofKernel(name string) bool {
	return slices.ContainsFunc(kernelThreads, func(begins string) bool { return strings.HasPrefix(name, begins) })
}
