package usage

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Reported waits for usage reports of a URR with a trigger, as many as that, each after
// the last within a time.
func Reported(u *behaviour.UE, urr, trigger uint32, name string, count int, within time.Duration) behaviour.Step {
	expected := fmt.Sprintf("%d usage reports of URR %d with the trigger %s come within %v", count, urr, name, within)
	return behaviour.Step{Text: expected, Do: func(t *behaviour.T) error {
		_, err := reported(t, u, urr, trigger, count, within, expected)
		return err
	}}
}

// Came waits for usage reports as Reported does, that a later step needs. That they are missing, or late, is the finding of
// another case.
func Came(u *behaviour.UE, urr, trigger uint32, name string, count int, within time.Duration) behaviour.Step {
	what := fmt.Sprintf("%d usage reports of URR %d with the trigger %s", count, urr, name)
	return behaviour.Step{Text: "wait for " + what, Do: func(t *behaviour.T) error {
		_, err := reported(t, u, urr, trigger, count, within, what+" come")
		switch fail.SymptomOf(err) {
		case fail.LateReport:
			return nil
		case fail.Report:
			return fail.Repeated(fail.Inapplicable("there are no times to compare: %s do not come", what))
		}
		return err
	}}
}

// reported waits for reports, and gives when each came that has the trigger. What comes later is late, and not missing.
func reported(t *behaviour.T, u *behaviour.UE, urr, trigger uint32, count int, within time.Duration, expected string) ([]time.Time, error) {
	s := t.Session(u)
	began := time.Now()
	enough := func(l []n4.Report) bool { return len(triggered(l, urr, trigger)) >= count }
	list := t.Peer().Await(t.Ctx, s.Ours, within+time.Second, enough)
	if enough(list) {
		return triggered(list, urr, trigger), nil
	}
	n, all := len(triggered(list, urr, trigger)), len(list)
	if late := t.Peer().Await(t.Ctx, s.Ours, behaviour.LongAfter, enough); enough(late) {
		return nil, fail.Because(fail.LateReport, fail.Repeated(fail.Wrongf(expected, "the last of them came after %.1f s", time.Since(began).Seconds())))
	}
	return nil, fail.Because(fail.Report, fail.Repeated(fail.NotEnforcedf(expected, "%d of them and %d session reports in all", n, all)))
}

// triggered is when the reports of a URR with a trigger came.
func triggered(list []n4.Report, urr, trigger uint32) (at []time.Time) {
	for _, r := range list {
		for _, x := range behaviour.UsagesOf(r.Usage, urr) {
			if x.Triggers&trigger != 0 {
				at = append(at, r.At)
			}
		}
	}
	return at
}

// reportLate is how much later than it is due a report may come, where the time is judged: a busy machine takes some of
// it, and what is meant to be found is half of the time or the double.
const reportLate = 0.6

// reportEarly is how much earlier: a duration counted in whole seconds is up to one less, and packets have their way.
const reportEarly = 1100 * time.Millisecond

// ReportedAfter waits for a usage report that is due so long after the session's first packet: it comes neither much
// earlier nor much later.
func ReportedAfter(u *behaviour.UE, urr, trigger uint32, name string, due time.Duration) behaviour.Step {
	expected := fmt.Sprintf("a usage report of URR %d with the trigger %s comes %v after the first packet", urr, name, due)
	return behaviour.Step{Text: expected, Do: func(t *behaviour.T) error {
		at, err := reported(t, u, urr, trigger, 1, 2*due, expected)
		if err != nil {
			return err
		}
		took := at[0].Sub(t.Session(u).Ledger.Began)
		if took < due-reportEarly || took > due+time.Duration(reportLate*float64(due)) {
			return fail.Because(fail.ReportTime, fail.Repeated(fail.Wrongf(expected, "it came after %.1f s", took.Seconds())))
		}
		return nil
	}}
}

// ReportedEach waits for so many periodic reports: the time between them is the period. One that a busy machine delays
// is followed by a shorter time, so that the mean is judged: of four, it may be 2/3 of the period where the first is late by
// one.
func ReportedEach(u *behaviour.UE, urr uint32, period time.Duration, count int) behaviour.Step {
	expected := fmt.Sprintf("%d usage reports of URR %d come, one each %v", count, urr, period)
	return behaviour.Step{Text: expected, Do: func(t *behaviour.T) error {
		at, err := reported(t, u, urr, rules.Periodic, count, 2*time.Duration(count)*period, expected)
		if err != nil {
			return err
		}
		mean := at[count-1].Sub(at[0]) / time.Duration(count-1)
		if mean < period*6/10 || mean > period*14/10 {
			return fail.Because(fail.ReportTime, fail.Repeated(fail.Wrongf(expected, "one came each %.1f s", mean.Seconds())))
		}
		return nil
	}}
}

// ReportedAt sends packets one by one, and holds the UPF to report a volume threshold at the one that goes beyond it:
// none is on its way then that could be counted, too. Before it nothing is reported, however long that takes.
func ReportedAt(u *behaviour.UE, urr uint32, threshold int, p behaviour.Packet) behaviour.Step {
	few := threshold / p.Length // do not reach it
	expected := fmt.Sprintf("a threshold of %d octets is reported at packet %d of %d octets", threshold, few+1, p.Length)
	return behaviour.Step{Text: "send " + p.Describe() + " one by one: " + expected, Do: func(t *behaviour.T) error {
		if err := t.Send([]behaviour.Packet{p.Times(few)}, behaviour.CrowdPace); err != nil {
			return err
		}
		t.Wait(behaviour.Quiet)
		if at := triggered(t.Peer().Reports(t.Session(u).Ours), urr, rules.VolumeThreshold); len(at) > 0 {
			return fail.Because(fail.Threshold, fail.Wrongf(expected, "a report came before %d packets, %d octets, had been sent", few+1, few*p.Length))
		}
		if err := t.Send([]behaviour.Packet{p}, behaviour.CrowdPace); err != nil {
			return err
		}
		_, err := reported(t, u, urr, rules.VolumeThreshold, 1, time.Second, expected)
		if fail.SymptomOf(err) != fail.Report {
			return err
		}
		return reportedBeyond(t, u, urr, p, few, expected, err)
	}}
}

// reportedBeyond finds at which further packet a threshold is reported: at none, that is the failure so far.
func reportedBeyond(t *behaviour.T, u *behaviour.UE, urr uint32, p behaviour.Packet, few int, expected string, so error) error {
	for n := few + 2; n <= 2*few+4; n++ {
		if err := t.Send([]behaviour.Packet{p}, behaviour.CrowdPace); err != nil {
			return err
		}
		t.Wait(behaviour.Quiet)
		if len(triggered(t.Peer().Reports(t.Session(u).Ours), urr, rules.VolumeThreshold)) > 0 {
			return fail.Because(fail.Threshold, fail.Repeated(fail.Wrongf(expected, "it is reported at packet %d", n)))
		}
	}
	return so
}
