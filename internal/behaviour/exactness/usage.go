package exactness

import (
	"fmt"
	"time"

	b "github.com/upflab/upflab/internal/behaviour"
	"github.com/upflab/upflab/internal/behaviour/rules"
	"github.com/upflab/upflab/internal/record"
)

// usagePPS is the load of the cases of usage, packets/s.
const usagePPS = 8000

func usage(d time.Duration) []b.Case {
	one := func(id, title, clause string, do func(*b.T, time.Duration) error) b.Case {
		return b.Case{ID: "usage." + id, Title: title, Clause: clause, Lasts: d,
			Steps: func(*b.Ground) []b.Step { return []b.Step{{Text: title, Do: func(t *b.T) error { return do(t, d) }}} }}
	}
	return []b.Case{
		one("load", fmt.Sprintf("Usage of %d packets/s in both directions is counted to the octet, while the session is modified ten times a second, and deleted", usagePPS),
			"TS 29.244 5.2.2.2, 5.2.2.3.1, 7.5.7.2", load),
		one("threshold", "A volume threshold is reported when it is reached", "TS 29.244 5.2.2.3.1, 8.2.13", threshold),
		one("quota", "No more than a volume quota passes", "TS 29.244 5.2.2.2.1, 8.2.50", quota),
	}
}

// load sends while the session is queried and modified, deletes it, and compares.
func load(t *b.T, d time.Duration) error {
	u := t.Ground.UE(0)
	if err := b.Establish(u, measured(u, t.Ground, rules.URR{Triggers: rules.Periodic, Period: 3600})).Do(t); err != nil {
		return err
	}
	var seen b.Users
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		seen, failed = t.Observe([]b.Packet{b.Up(u, "").Sized(300), b.Down(u, "").Sized(1000)}, usagePPS, d)
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
	out := total(&seen)
	t.Usage = out
	for _, r := range t.Usages(u, 1) {
		out.Reports++
		if r.Volume.Total != nil {
			out.CountedOctets += *r.Volume.Total
		}
	}
	if out.CountedOctets < out.ArrivedOctets || out.CountedOctets > out.SentOctets {
		return b.Wrong(fmt.Sprintf("%d to %d octets are counted", out.ArrivedOctets, out.SentOctets), fmt.Sprintf("%d octets in %d reports", out.CountedOctets, out.Reports))
	}
	return nil
}

// changes queries the URR and updates the FAR in turn until done.
func changes(t *b.T, u *b.UE, done <-chan struct{}) error {
	for n := 0; ; n++ {
		select {
		case <-done:
			return nil
		case <-time.After(100 * time.Millisecond):
		}
		change := rules.Change{Query: []uint32{1}}
		if n%2 == 1 {
			change = rules.Change{Update: rules.Session{QERs: []rules.QER{{ID: 1, QFI: 9}}}}
		}
		if err := b.Modify(u, "a query of URR 1, or an update of QER 1", change).Do(t); err != nil {
			return err
		}
	}
}

func total(u *b.Users) *record.Usage {
	out := &record.Usage{}
	for _, f := range u.Fates {
		out.SentOctets += uint64(f.Octets)
		if !f.Arrived.IsZero() {
			out.ArrivedOctets += uint64(f.Octets)
		}
	}
	return out
}

// threshold measures the time to the report.
func threshold(t *b.T, _ time.Duration) error {
	const volume = 500_000
	u := t.Ground.UE(0)
	s := measured(u, t.Ground, rules.URR{Triggers: rules.VolumeThreshold, Threshold: &rules.Volume{Total: rules.Octets(volume)}})
	if err := b.Establish(u, s).Do(t); err != nil {
		return err
	}
	seen, err := t.Observe([]b.Packet{b.Up(u, "").Sized(500)}, 2000, time.Second) // 1 MB
	if err != nil {
		return err
	}
	out := total(&seen)
	t.Usage = out
	var reached time.Time
	octets := 0
	for _, f := range seen.Fates {
		if !f.Arrived.IsZero() {
			octets += f.Octets
		}
		if octets >= volume {
			reached = f.Sent
			break
		}
	}
	list := t.Peer().Reports(t.Session(u).Ours)
	for _, r := range list {
		for _, x := range r.Usage {
			if out.Reports++; out.Reports == 1 && !reached.IsZero() {
				out.DelaySeconds = r.At.Sub(reached).Seconds()
			}
			if x.Volume.Total != nil {
				out.CountedOctets += *x.Volume.Total
			}
		}
	}
	if out.Reports == 0 {
		return &b.Failure{Verdict: record.VerdictNotEnforced, Soft: true, Expected: "a usage report comes", Observed: fmt.Sprintf("none came, of %d octets", octets)}
	}
	return nil
}

// quota measures what passes beyond a quota.
func quota(t *b.T, _ time.Duration) error {
	const volume, size = 500_000, 500
	u := t.Ground.UE(0)
	s := measured(u, t.Ground, rules.URR{Triggers: rules.VolumeQuota, Quota: &rules.Volume{Total: rules.Octets(volume)}})
	if err := b.Establish(u, s).Do(t); err != nil {
		return err
	}
	seen, err := t.Observe([]b.Packet{b.Up(u, "").Sized(size)}, 2000, 1500*time.Millisecond)
	if err != nil {
		return err
	}
	out := total(&seen)
	out.OverOctets = int64(out.ArrivedOctets) - volume
	t.Usage = out
	switch {
	case out.SentOctets < volume*5/4:
		return b.Repeated(b.Inapplicable("the machine is too busy: %d octets were sent", out.SentOctets))
	case out.ArrivedOctets == out.SentOctets:
		return &b.Failure{Verdict: record.VerdictNotEnforced, Expected: fmt.Sprintf("%d octets pass", volume), Observed: fmt.Sprintf("all %d do", out.ArrivedOctets)}
	case out.OverOctets > volume/10:
		return b.Wrong(fmt.Sprintf("%d octets pass", volume), fmt.Sprintf("%d do", out.ArrivedOctets))
	}
	return nil
}
