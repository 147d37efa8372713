package exactness

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// loading is traffic through a volume.
type loading struct {
	b.Stream
	volume  uint64  // octets
	nonDrop float64 // packets/s; 0: the rate is fixed
}

// loads says what a case sends for a UE.
type loads func(t *b.T, u *b.UE, up bool) (loading, error)

// usual is 2000 packets/s for a second.
func usual(_ *b.T, u *b.UE, up bool) (loading, error) {
	const octets, pps = 500, 2000
	return loading{Stream: b.Stream{Up: up, Flows: []b.Flow{{UE: u, QFI: defaultQFI}}, Octets: octets, PPS: pps,
		For: 1500 * time.Millisecond}, volume: 500_000}, nil
}

// nearlyAll is nine tenths of what passes without loss, and what that is in 300 ms.
func nearlyAll(t *b.T, u *b.UE, up bool) (loading, error) {
	free := t.Fixture.UE(1) // its packets are not counted
	if err := b.Establish(free, b.Plain(free, t.Fixture)).Do(t); err != nil {
		return loading{}, err
	}
	s := b.Stream{Up: up, Octets: loadOctets, Flows: []b.Flow{{UE: free, QFI: defaultQFI}}}
	rate, full, err := nonDrop(t, s)
	if err != nil {
		return loading{}, err
	}
	if rate == 0 {
		return loading{}, fail.Repeated(fail.Inapplicable("cannot tell: no rate passes without loss, of up to %.0f packets/s", full))
	}
	s.PPS, s.For, s.Flows[0].UE = part*rate, time.Second, u
	return loading{Stream: s, volume: uint64(0.3 * s.PPS * loadOctets), nonDrop: rate}, nil
}

// sent sends a load through a session with a URR and sums it up.
func (l *loading) sent(t *b.T, u *b.UE, r rules.URR) (b.Users, *record.Usage, error) {
	if err := b.Establish(u, measured(u, t.Fixture, r)).Do(t); err != nil {
		return b.Users{}, nil, err
	}
	seen, err := t.Stream(l.Stream)
	out := &record.Usage{NonDropPPS: l.nonDrop}
	if l.nonDrop > 0 {
		out.LoadPPS = l.PPS
	}
	total(out, &seen)
	t.Usage = out
	return seen, out, err
}

// threshold measures the time to the report.
func threshold(of loads) func(*b.T, time.Duration) error {
	return func(t *b.T, _ time.Duration) error {
		u := t.Fixture.UE(0)
		l, err := of(t, u, true)
		if err != nil {
			return err
		}
		seen, out, err := l.sent(t, u, rules.URR{Triggers: rules.VolumeThreshold, Threshold: &rules.Volume{Total: rules.Octets(l.volume)}})
		if err != nil {
			return err
		}
		reached := reaching(&seen, l.volume)
		for _, r := range t.Peer().Reports(t.Session(u).Ours) {
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
			return &fail.Failure{Verdict: record.VerdictNotEnforced, Soft: true, Expected: "a usage report comes",
				Observed: fmt.Sprintf("none came, of %d octets", out.ArrivedOctets)}
		}
		return nil
	}
}

// reaching is when the packet was sent that brings what arrived to a volume.
func reaching(seen *b.Users, volume uint64) time.Time {
	var octets uint64
	for _, f := range seen.Fates {
		if !f.Arrived.IsZero() {
			octets += uint64(f.Octets)
		}
		if octets >= volume {
			return f.Sent
		}
	}
	return time.Time{}
}

// quota measures what passes beyond a quota.
func quota(of loads) func(*b.T, time.Duration) error {
	return func(t *b.T, _ time.Duration) error {
		u := t.Fixture.UE(0)
		l, err := of(t, u, true)
		if err != nil {
			return err
		}
		_, out, err := l.sent(t, u, rules.URR{Triggers: rules.VolumeQuota, Quota: &rules.Volume{Total: rules.Octets(l.volume)}})
		if err != nil {
			return err
		}
		out.OverOctets = int64(out.ArrivedOctets) - int64(l.volume)
		switch {
		case out.SentOctets < l.volume*5/4:
			return fail.Repeated(fail.Inapplicable("cannot tell: the machine is too busy: %d octets were sent", out.SentOctets))
		case out.OverOctets > int64(out.SentOctets-l.volume)/2: // the rest may have been lost on the way
			return &fail.Failure{Verdict: record.VerdictNotEnforced, Expected: fmt.Sprintf("%d octets pass", l.volume),
				Observed: fmt.Sprintf("%d of %d do", out.ArrivedOctets, out.SentOctets)}
		case out.OverOctets > int64(l.volume)/10:
			return fail.Wrong(fmt.Sprintf("%d octets pass", l.volume), fmt.Sprintf("%d do", out.ArrivedOctets))
		}
		return nil
	}
}
