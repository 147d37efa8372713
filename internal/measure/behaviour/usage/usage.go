// Package usage has the steps about usage reports: what they count, when they come, and their times.
package usage

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Counted compares what a URR reported in all, in reports and in answers, with the
// packets that were sent and that arrived. What was lost on the way may count or not.
func Counted(u *behaviour.UE, urr uint32) behaviour.Step {
	return behaviour.Step{Text: fmt.Sprintf("the usage of URR %d is that of the packets", urr), Do: func(t *behaviour.T) error {
		s := t.Session(u)
		list := t.Usages(u, urr)
		return fail.RepeatedIf(behaviour.Gap(list), compare(&s.Ledger, list))
	}}
}

// compare holds the sums of reports to the ledger.
func compare(l *behaviour.Ledger, list []n4.Usage) error {
	expected := fmt.Sprintf("%d octets uplink and %d downlink are counted", l.UpSent.Octets, l.DownSent.Octets)
	if len(list) == 0 {
		return fail.Because(fail.NoUsage, fail.NotEnforcedf(expected, "there is no usage report"))
	}
	v := Sum(list)
	if v.Total == nil && v.Up == nil && v.Down == nil {
		return fail.Because(fail.NoUsage, fail.NotEnforcedf(expected, "the usage reports have no volume"))
	}
	observed := written(&v)
	if !counts(l, &v) {
		switch {
		case zero(v.Total) && zero(v.Up) && zero(v.Down) && l.UpSent.Octets+l.DownSent.Octets > 0:
			return fail.Because(fail.Uncounted, fail.NotEnforcedf(expected, "%s", observed))
		case v.Up != nil && v.Down != nil && within(v.Up, l.DownGot.Octets, l.DownSent.Octets) && within(v.Down, l.UpGot.Octets, l.UpSent.Octets):
			return fail.Because(fail.Usage, fail.Wrongf(expected, "%s: uplink and downlink are swapped", observed))
		case v.Total != nil && *v.Total < l.UpGot.Octets+l.DownGot.Octets:
			return fail.Because(fail.Uncounted, fail.Wrongf(expected, "%s", observed))
		}
		return fail.Because(fail.Usage, fail.Wrongf(expected, "%s", observed))
	}
	return packets(l, &v)
}

func counts(l *behaviour.Ledger, v *rules.Volume) bool {
	return within(v.Up, l.UpGot.Octets, l.UpSent.Octets) && within(v.Down, l.DownGot.Octets, l.DownSent.Octets) &&
		within(v.Total, l.UpGot.Octets+l.DownGot.Octets, l.UpSent.Octets+l.DownSent.Octets)
}

// packets compares numbers of packets, where there are any.
func packets(l *behaviour.Ledger, v *rules.Volume) error {
	if within(v.UpPkts, l.UpGot.Packets, l.UpSent.Packets) && within(v.DownPkts, l.DownGot.Packets, l.DownSent.Packets) &&
		within(v.Packets, l.UpGot.Packets+l.DownGot.Packets, l.UpSent.Packets+l.DownSent.Packets) {
		return nil
	}
	return fail.Because(fail.Usage,
		fail.Wrongf(fmt.Sprintf("%d packets uplink and %d downlink are counted", l.UpSent.Packets, l.DownSent.Packets),
			"%s", written(v)))
}

// within reports whether a number lies in a range; one that is not there does.
func within(n *uint64, from, to uint64) bool { return n == nil || *n >= from && *n <= to }

func zero(n *uint64) bool { return n == nil || *n == 0 }

// Sum adds reports up.
func Sum(list []n4.Usage) (v rules.Volume) {
	add := func(to **uint64, n *uint64) {
		if n == nil {
			return
		}
		if *to == nil {
			*to = new(uint64)
		}
		**to += *n
	}
	for _, u := range list {
		add(&v.Total, u.Volume.Total)
		add(&v.Up, u.Volume.Up)
		add(&v.Down, u.Volume.Down)
		add(&v.Packets, u.Volume.Packets)
		add(&v.UpPkts, u.Volume.UpPkts)
		add(&v.DownPkts, u.Volume.DownPkts)
	}
	return v
}

func written(v *rules.Volume) (text string) {
	for _, x := range []struct {
		n    *uint64
		name string
	}{{v.Total, "octets in all"}, {v.Up, "octets uplink"}, {v.Down, "octets downlink"},
		{v.Packets, "packets in all"}, {v.UpPkts, "packets uplink"}, {v.DownPkts, "packets downlink"}} {
		if x.n != nil {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", *x.n, x.name)
		}
	}
	return text
}

// Numbered holds the usage reports so far to their UR-SEQN: 0, 1, 2 ...
func Numbered(u *behaviour.UE, urr uint32) behaviour.Step {
	return behaviour.Step{Text: "the reports' UR-SEQN count from 0 on", Do: func(t *behaviour.T) error {
		list := t.Usages(u, urr)
		for n, r := range list {
			if !r.Numbered {
				return fail.Because(fail.ReportForm, fail.Wrongf(fmt.Sprintf("usage report %d has UR-SEQN %d", n+1, n), "it has none"))
			}
			if r.Sequence != uint32(n) {
				err := fail.Wrongf(fmt.Sprintf("usage report %d has UR-SEQN %d", n+1, n), "it has %d", r.Sequence)
				return fail.RepeatedIf(behaviour.Gap(list), err)
			}
		}
		return nil
	}}
}

// Ended holds the last report in an answer to its trigger.
func Ended(u *behaviour.UE, urr, trigger uint32, name string) behaviour.Step {
	return behaviour.Step{Text: "the answer has a usage report with the trigger " + name, Do: func(t *behaviour.T) error {
		list := behaviour.UsagesOf(t.Session(u).Answered, urr)
		expected := fmt.Sprintf("the answer has a usage report of URR %d with the trigger %s", urr, name)
		if len(list) == 0 {
			return fail.Because(fail.NoUsage, fail.NotEnforcedf(expected, "it has none"))
		}
		if last := list[len(list)-1]; last.Triggers&trigger == 0 {
			return fail.Wrongf(expected, "its triggers are %#06x", last.Triggers)
		}
		return nil
	}}
}

// Unreported holds the UPF to no usage report of a URR for a time.
func Unreported(u *behaviour.UE, urr uint32, d time.Duration) behaviour.Step {
	return behaviour.Step{Text: fmt.Sprintf("no usage report of URR %d comes in %v", urr, d), Do: func(t *behaviour.T) error {
		t.Wait(d)
		if list := t.Usages(u, urr); len(list) > 0 {
			return fail.Wrongf(fmt.Sprintf("no usage report of URR %d comes yet", urr), "one came with the triggers %#06x", list[0].Triggers)
		}
		return nil
	}}
}

// Split holds the last two reports in an answer to one before the monitoring time, with so many
// octets, and one after it (TS 29.244 clause 8.2.48).
func Split(u *behaviour.UE, urr uint32, before uint64) behaviour.Step {
	expected := fmt.Sprintf("the answer has a usage report of URR %d of %d octets before the monitoring time, and one after it", urr, before)
	return behaviour.Step{Text: expected, Do: func(t *behaviour.T) error {
		list := behaviour.UsagesOf(t.Session(u).Answered, urr)
		if len(list) < 2 {
			return fail.NotEnforcedf(expected, "it has %d usage reports", len(list))
		}
		first, second := list[len(list)-2], list[len(list)-1]
		if first.Information&smf.BeforeMonitoring == 0 || second.Information&smf.AfterMonitoring == 0 {
			return fail.Wrongf(expected, "their Usage Information is %#02x and %#02x", first.Information, second.Information)
		}
		if v := first.Volume.Total; v == nil || *v != before {
			return fail.Because(fail.Usage, fail.Repeated(fail.Wrongf(expected, "the first has %s", written(&first.Volume))))
		}
		return nil
	}}
}
