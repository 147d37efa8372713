package exactness

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// part of the non-drop rate at which usage is counted.
const part = 0.9

// loadOctets are those of the T-PDUs.
const loadOctets = 500

// fullLoad counts usage at nine tenths of what passes without loss, in each direction, while the
// session is queried and modified, and deletes it.
func fullLoad(up bool) func(*b.T, time.Duration) error {
	return func(t *b.T, d time.Duration) error {
		u := t.Fixture.UE(0)
		if err := b.Establish(u, measured(u, t.Fixture, rules.URR{Triggers: rules.Periodic, Period: 3600})).Do(t); err != nil {
			return err
		}
		l, err := nearlyAll(t, u, up)
		if err != nil {
			return err
		}
		l.For = min(d, time.Duration(packetsMost/l.PPS*float64(time.Second)))
		return counted(t, u, &record.Usage{NonDropPPS: l.nonDrop, LoadPPS: l.PPS}, func() (b.Users, error) { return t.Stream(l.Stream) })
	}
}

// counted sends, with changes of the session meanwhile, deletes it, and compares what was
// reported with what arrived.
func counted(t *b.T, u *b.UE, out *record.Usage, send func() (b.Users, error)) error {
	var seen b.Users
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		seen, failed = send()
	}()
	err := changes(t, u, done)
	<-done
	if err != nil || failed != nil {
		if err != nil {
			return err
		}
		return failed
	}
	if err := b.Delete(u).Do(t); err != nil {
		return err
	}
	total(out, &seen)
	t.Usage = out
	for _, r := range t.Usages(u, 1) {
		out.Reports++
		if r.Volume.Total != nil {
			out.CountedOctets += *r.Volume.Total
		}
	}
	if out.Reports == 0 {
		return fail.Missing(fmt.Sprintf("%d to %d octets are counted", out.ArrivedOctets, out.SentOctets), "there is no usage report")
	}
	if out.CountedOctets < out.ArrivedOctets || out.CountedOctets > out.SentOctets {
		return fail.Wrong(fmt.Sprintf("%d to %d octets are counted", out.ArrivedOctets, out.SentOctets),
			fmt.Sprintf("%d octets in %d reports", out.CountedOctets, out.Reports))
	}
	return nil
}
