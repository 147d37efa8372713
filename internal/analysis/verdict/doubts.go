package verdict

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

const (
	// lateMax: with more late slots than this the 99th percentile of latency
	// holds the generator's own delay.
	lateMax = 0.01
	// samplesWanted is the least number of tagged frames for a latency, RFC
	// 8219 clause 7.2.
	samplesWanted = 500
	// foreignMax and foreignSlack: a few ARP or ICMP frames are usual; more
	// take room in rings.
	foreignMax   = 0.001
	foreignSlack = 10
)

// doubt is worth knowing but does not make a trial invalid. Its code is one of package reason.
type doubt struct {
	code record.Doubt
	text string
}

// doubtChecks say what speaks for each doubt; "": nothing.
var doubtChecks = [...]struct {
	code record.Doubt
	of   func(Evidence) string
}{
	{record.DoubtDisturbed, disturbedDoubt},
	{record.DoubtCPUsApart, apartDoubt},
	{record.DoubtLate, lateDoubt},
	{record.DoubtSkipped, skippedDoubt},
	{record.DoubtStalls, stallDoubt},
	{record.DoubtWrongFew, wrongDoubt},
	{record.DoubtDuplicates, duplicateDoubt},
	{record.DoubtForeign, foreignDoubt},
	{record.DoubtFewSamples, samplesDoubt},
	{record.DoubtClockSet, clockDoubt},
	{record.DoubtSuspended, asleepDoubt},
	{record.DoubtThrottledBriefly, throttledDoubt},
}

func doubts(e Evidence) (why []doubt) {
	for _, check := range doubtChecks {
		if text := check.of(e); text != "" {
			why = append(why, doubt{check.code, text})
		}
	}
	return why
}

func apartDoubt(e Evidence) string {
	if !e.apart() {
		return ""
	}
	return apartWords(e)
}

// throttledDoubt: a limit was reached, though not for long.
func throttledDoubt(e Evidence) string {
	if e.ThrottledS == 0 || throttled(e) {
		return ""
	}
	return fmt.Sprintf("the CPU limit of the pod or container (%.3g CPUs) was reached, for %.3g ms", e.CPULimit, e.ThrottledS*1e3)
}

func lateDoubt(e Evidence) string {
	part := ratio(e.LateSlots, e.Tx)
	if e.Max || part <= lateMax {
		return ""
	}
	return fmt.Sprintf("%s of the packets left over 10 µs late (p99 %.3g µs), which their latency includes",
		percent(part), float64(e.LatenessP99NS)/1e3)
}

// skippedDoubt: what was not sent counts in the latency by how late it was at least.
func skippedDoubt(e Evidence) string {
	if e.Skipped == 0 {
		return ""
	}
	packets := count(e.Skipped) + " packets were"
	if e.Skipped == 1 {
		packets = "1 packet was"
	}
	return fmt.Sprintf("%s not sent (%s of those due), because the generator was over 500 µs late: "+
		"what was not sent counts in the latency as 500 µs late, which it was at least",
		packets, percent(ratio(e.Skipped, e.Intended)))
}

func stallDoubt(e Evidence) string {
	if e.Stalls == 0 {
		return ""
	}
	return fmt.Sprintf("the generator stalled for more than 1 ms %s", times(e.Stalls))
}

func wrongDoubt(e Evidence) string {
	if e.Wrong == 0 || wrongFault(e) != "" {
		return ""
	}
	return fmt.Sprintf("%s packets arrived, but not as the rules ask", count(e.Wrong))
}

func duplicateDoubt(e Evidence) string {
	if e.Duplicates == 0 {
		return ""
	}
	return fmt.Sprintf("%s packets arrived more than once", count(e.Duplicates))
}

func foreignDoubt(e Evidence) string {
	if e.Foreign <= foreignSlack || ratio(e.Foreign, e.Rx) <= foreignMax {
		return ""
	}
	return fmt.Sprintf("%s frames at the sink were not the generator's", count(e.Foreign))
}

func samplesDoubt(e Evidence) string {
	if e.Samples == 0 || e.Samples >= samplesWanted {
		return ""
	}
	return fmt.Sprintf("latency of %s packets only: the high percentiles are single packets (RFC 8219 asks for %d)",
		count(e.Samples), samplesWanted)
}

func clockDoubt(e Evidence) string {
	if e.ClockStepS == 0 || e.ByWallClock {
		return ""
	}
	return fmt.Sprintf("the wall clock was set by %+.3g s during the trial; no figure counts by it", e.ClockStepS)
}

func asleepDoubt(e Evidence) string {
	if e.SuspendedS == 0 || e.External {
		return ""
	}
	return fmt.Sprintf("the machine was suspended for %.3g s during the trial; the figures leave that time out", e.SuspendedS)
}
