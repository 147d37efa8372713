package exactness

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/record"
)

// usagePPS is the load of the cases of usage, packets/s.
const usagePPS = 8000

func usage(d time.Duration) []b.Case {
	one := func(id, title, clause string, do func(*b.T, time.Duration) error) b.Case {
		return b.Case{ID: "usage." + id, Title: title, Clause: clause, Lasts: d,
			Steps: func(*b.Fixture) []b.Step { return []b.Step{{Text: title, Do: func(t *b.T) error { return do(t, d) }}} }}
	}
	return []b.Case{
		one("load", fmt.Sprintf("Usage of %d packets/s in both directions is counted to the octet, while the "+
			"session is modified ten times a second, and deleted", usagePPS),
			"TS 29.244 5.2.2.2, 5.2.2.3.1, 7.5.7.2", load),
		one("full.uplink", "Usage uplink is counted to the octet at 90 % of the rate that passes without loss",
			"TS 29.244 5.2.2.2, 5.2.2.3.1, 7.5.7.2", fullLoad(true)),
		one("full.downlink", "Usage downlink is counted to the octet at 90 % of the rate that passes without loss",
			"TS 29.244 5.2.2.2, 5.2.2.3.1, 7.5.7.2", fullLoad(false)),
		one("threshold", "A volume threshold is reported when it is reached", "TS 29.244 5.2.2.3.1, 8.2.13", threshold(usual)),
		one("threshold.full", "A volume threshold is reported when it is reached, at 90 % of the rate that passes "+
			"without loss", "TS 29.244 5.2.2.3.1, 8.2.13", threshold(nearlyAll)),
		one("quota", "No more than a volume quota passes", "TS 29.244 5.2.2.2.1, 8.2.50", quota(usual)),
		one("quota.full", "No more than a volume quota passes, at 90 % of the rate that passes without loss",
			"TS 29.244 5.2.2.2.1, 8.2.50", quota(nearlyAll)),
	}
}

// load sends while the session is queried and modified, deletes it, and compares.
func load(t *b.T, d time.Duration) error {
	u := t.Fixture.UE(0)
	if err := b.Establish(u, measured(u, t.Fixture, rules.URR{Triggers: rules.Periodic, Period: 3600})).Do(t); err != nil {
		return err
	}
	return counted(t, u, &record.Usage{}, func() (b.Users, error) {
		return t.Observe([]b.Packet{b.Up(u, "").Sized(300), b.Down(u, "").Sized(1000)}, usagePPS, d)
	})
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

// total sums packets up.
func total(out *record.Usage, u *b.Users) {
	for _, f := range u.Fates {
		out.SentOctets += uint64(f.Octets)
		if !f.Arrived.IsZero() {
			out.ArrivedOctets += uint64(f.Octets)
		}
	}
}
