package exactness

import (
	"fmt"
	"math"
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

const (
	// exactly is by how much a rate may be off.
	exactly = 0.01
	// least is what has to be offered of a maximum bit rate at least.
	least = 1.2
	// packetsMost is how many packets a stream has at most, of which each is kept.
	packetsMost = 2_000_000
	// below is for how long half of the rate is offered, and then nothing.
	below = time.Second
	// overhead is what the tunnel adds to a T-PDU on N3.
	overhead = 44
)

// limit is a maximum bit rate that is measured.
type limit struct {
	name   string
	bps    float64
	octets int     // of the T-PDUs, at most: small ones where there are few
	over   float64 // what is offered of the rate
}

func limits() []limit {
	return []limit{{"1M", 1e6, 125, 1.5}, {"10M", 10e6, 500, 1.5}, {"100M", 100e6, 1400, 1.5}, {"1G", 1e9, 1400, 1.4},
		{"2.5G", 2.5e9, mostOctets, 1.3},
		{"5G", 5e9, mostOctets, 1.3}, {"10G", 10e9, mostOctets, 1.3}}
}

// mostOctets is the longest T-PDU: the page of a live frame bounds it.
const mostOctets = 3300

// usualOctets are T-PDUs that each UPF passes.
const usualOctets = 1400

// fit makes the T-PDUs as long as the links' MTU and the UPF let pass.
func (l *limit) fit(t *b.T, u *b.UE, up bool) error {
	if l.octets = min(l.octets, t.Fixture.MTU-overhead); l.octets <= usualOctets {
		return nil
	}
	seen, err := t.Stream(b.Stream{Up: up, Flows: []b.Flow{{UE: u, QFI: defaultQFI}}, Octets: l.octets, PPS: 1000, For: 50 * time.Millisecond})
	if err == nil && seen.Lost == seen.Sent {
		l.octets = usualOctets
	}
	return err
}

// step offers more than the rate and measures what arrives.
func (l limit) step(up bool, d time.Duration) b.Step {
	text := fmt.Sprintf("establish a session with an MBR of %.0f kbit/s; offer half of it for %v, nothing for as "+
		"long, then %.0f kbit/s for %v, in packets of up to %d octets",
		l.bps/1e3, below, l.over*l.bps/1e3, d, l.octets)
	return b.Step{Text: text, Do: func(t *b.T) error {
		l, u := l, t.Fixture.UE(0) // a UPF's packets are not the next one's
		s := b.Plain(u, t.Fixture)
		s.QERs[0].MBRUp, s.QERs[0].MBRDown = uint64(l.bps/1e3), uint64(l.bps/1e3)
		if err := b.Establish(u, s).Do(t); err != nil {
			return err
		}
		if err := l.fit(t, u, up); err != nil {
			return err
		}
		half, err := t.Stream(l.stream(u, up, 0.5, below))
		if err != nil {
			return err
		}
		if err := b.Wait(below).Do(t); err != nil {
			return err
		}
		full, err := t.Stream(l.stream(u, up, l.over, d))
		if err != nil {
			return err
		}
		r := &record.RateLimit{MBRBPS: l.bps, Octets: l.octets, BelowP50NS: float64(half.Quantile(0.5)),
			AboveP50NS: float64(full.Quantile(0.5)), AboveP99NS: float64(full.Quantile(0.99))}
		fill(r, full.Fates)
		t.Rate = r
		return l.judged(t, r, up)
	}}
}

// Measured is a case that offers uplink or downlink T-PDUs at a rate, bit/s, after a silence, and
// measures what passes. It judges nothing: the session has no maximum bit rate, and mbr is
// what errors are of.
func Measured(id string, mbr, offered float64, octets int, up bool, d time.Duration) b.Case {
	l := limit{bps: mbr, octets: octets, over: offered / mbr}
	return b.Case{ID: id, Title: "What passes of a rate", Lasts: d, Steps: func(g *b.Fixture) []b.Step {
		return []b.Step{b.Establish(g.UE(0), b.Plain(g.UE(0), g)), b.Wait(below / 4), {Text: "offer a rate", Do: func(t *b.T) error {
			seen, err := t.Stream(l.stream(t.Fixture.UE(0), up, l.over, d))
			if err == nil {
				t.Rate = &record.RateLimit{MBRBPS: mbr, Octets: octets}
				fill(t.Rate, seen.Fates)
			}
			return err
		}}}
	}}
}

// stream is so much of the rate.
func (l *limit) stream(u *b.UE, up bool, share float64, d time.Duration) b.Stream {
	pps := share * l.bps / 8 / float64(l.octets)
	if most := time.Duration(packetsMost / pps * float64(time.Second)); d > most {
		d = most
	}
	return b.Stream{Up: up, Flows: []b.Flow{{UE: u, QFI: defaultQFI}}, Octets: l.octets, PPS: pps, For: d}
}

// defaultQFI is that of the plain rules.
const defaultQFI = 9

// judged holds a measured rate to its limit.
func (l *limit) judged(t *b.T, r *record.RateLimit, up bool) error {
	if r.OfferedBPS < least*r.MBRBPS || r.SteadyS < enough.Seconds() {
		return fail.Repeated(fail.Inapplicable("cannot tell: %.1f Mbit/s were sent, %.2f s of that at a pace; it takes %.1f Mbit/s for %v",
			r.OfferedBPS/1e6, r.SteadyS, least*r.MBRBPS/1e6, enough))
	}
	f := &fail.Failure{Verdict: record.VerdictWrong, Soft: true,
		Expected: fmt.Sprintf("%.0f kbit/s arrive, within %.0f %%", r.MBRBPS/1e3, exactly*100),
		Observed: fmt.Sprintf("%.1f kbit/s arrive (%+.2f %%)", r.MeasuredBPS/1e3, r.Error*100)}
	right := math.Abs(r.Error) <= exactly
	switch {
	case !right && r.MeasuredBPS > 0.9*r.OfferedBPS:
		f.Verdict = record.VerdictNotEnforced
		return f
	case !right && r.Void:
		return fail.Repeated(fail.Inapplicable("cannot tell: %.1f kbit/s arrive (%+.2f %%), but the machine was "+
			"disturbed for nearly all of the time", r.MeasuredBPS/1e3, r.Error*100))
	}
	free, err := l.unlimited(t, up)
	switch {
	case err != nil:
		return err
	case r.Error > exactly && r.MeasuredBPS > 0.9*free:
		f.Verdict = record.VerdictNotEnforced
		f.Observed += fmt.Sprintf("; without a limit %.1f kbit/s do", free/1e3)
	case r.Error <= exactly && free < 1.1*l.bps:
		return fail.Inapplicable("cannot tell: without a limit %.1f of %.1f Mbit/s arrive", free/1e6, l.over*l.bps/1e6)
	case right:
		return nil
	}
	return f
}

// unlimited is what passes, bit/s, of a session without a limit: a UPF that passes no more
// than that for lack of speed shows nothing of its limit.
func (l *limit) unlimited(t *b.T, up bool) (bps float64, err error) {
	u := t.Fixture.UE(1)
	if err := b.Establish(u, b.Plain(u, t.Fixture)).Do(t); err != nil {
		return 0, err
	}
	free, err := t.Stream(l.stream(u, up, l.over, time.Second/2))
	if err != nil {
		return 0, err
	}
	return float64(free.Sent-free.Lost) / float64(max(free.Sent, 1)) * l.over * l.bps, nil
}
