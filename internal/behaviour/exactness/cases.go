package exactness

import (
	"fmt"
	"strings"
	"time"

	b "github.com/upflab/upflab/internal/behaviour"
	"github.com/upflab/upflab/internal/behaviour/rules"
	"github.com/upflab/upflab/internal/record"
)

// Groups describes the cases.
func Groups() [][2]string {
	return [][2]string{{"mbr", "Maximum bit rates, measured"}, {"usage", "Usage under load, measured"}}
}

const (
	// over is what is offered of a maximum bit rate.
	over = 1.5
	// mostPPS is about what the packet sockets of the lab send and read at a pace.
	mostPPS = 60_000
	// exactly is by how much a rate may be off.
	exactly = 0.01
)

// rates are the maximum bit rates, bit/s, and the T-PDUs' octets: small ones where there
// are few.
var rates = []struct {
	name   string
	bps    float64
	octets int
}{{"1M", 1e6, 125}, {"10M", 10e6, 500}, {"100M", 100e6, 1400}, {"1G", 1e9, 1400}, {"10G", 10e9, 1400}}

// Cases lists the cases. Rates are offered for d each.
func Cases(d time.Duration) (list []b.Case) {
	for _, r := range rates {
		for _, up := range []bool{true, false} {
			name := map[bool]string{true: "uplink", false: "downlink"}[up]
			list = append(list, b.Case{ID: "mbr." + name + "." + r.name, Title: fmt.Sprintf("A maximum bit rate of %sbit/s %s is enforced within 1 %%", r.name, name),
				Clause: "TS 29.244 5.4.4, 8.2.8", Lasts: d + 2*time.Second,
				Steps: func(*b.Ground) []b.Step { return []b.Step{limited(r.bps, r.octets, up, d)} }})
		}
	}
	return append(list, usage(d)...)
}

// limited offers one and a half of a rate and measures what arrives.
func limited(bps float64, octets int, up bool, d time.Duration) b.Step {
	text := fmt.Sprintf("establish a session with an MBR of %.0f kbit/s; offer half of it for a second, nothing for a second, then %.0f kbit/s for %v, in packets of %d octets",
		bps/1e3, over*bps/1e3, d, octets)
	return b.Step{Text: text, Do: func(t *b.T) error {
		pps := over * bps / 8 / float64(octets)
		if pps > mostPPS {
			return b.Inapplicable("it takes %.0f packets/s of %d octets, and the packet sockets of this lab send %d at a pace", pps, octets, mostPPS)
		}
		u := t.Ground.UE(0)
		s := b.Plain(u, t.Ground)
		s.QERs[0].MBRUp, s.QERs[0].MBRDown = uint64(bps/1e3), uint64(bps/1e3)
		if err := b.Establish(u, s).Do(t); err != nil {
			return err
		}
		p := b.Down(u, "").Sized(octets)
		if up {
			p = b.Up(u, "").Sized(octets)
		}
		below, err := t.Observe([]b.Packet{p}, int(pps/3), time.Second)
		if err != nil {
			return err
		}
		if err := b.Wait(time.Second).Do(t); err != nil {
			return err
		}
		above, err := t.Observe([]b.Packet{p}, int(pps), d)
		if err != nil {
			return err
		}
		r := &record.RateLimit{MBRBPS: bps, BelowP50NS: float64(below.Quantile(0.5)), AboveP50NS: float64(above.Quantile(0.5)), AboveP99NS: float64(above.Quantile(0.99))}
		fill(r, above.Fates)
		t.Rate = r
		return judged(r)
	}}
}

// judged holds a measured rate to its limit.
func judged(r *record.RateLimit) error {
	if r.SteadyS < 0.5 || r.OfferedBPS < 1.2*r.MBRBPS {
		return b.Repeated(b.Inapplicable("the machine is too busy: %.1f kbit/s were sent, %.2f s of that at a pace", r.OfferedBPS/1e3, r.SteadyS))
	}
	f := &b.Failure{Verdict: record.VerdictWrong, Soft: true, Expected: fmt.Sprintf("%.0f kbit/s arrive, within %.0f %%", r.MBRBPS/1e3, exactly*100),
		Observed: fmt.Sprintf("%.1f kbit/s arrive (%+.2f %%)", r.MeasuredBPS/1e3, r.Error*100)}
	switch {
	case r.Error >= -exactly && r.Error <= exactly:
		return nil
	case r.MeasuredBPS > 0.9*r.OfferedBPS:
		f.Verdict = record.VerdictNotEnforced
	}
	return f
}

// Select gives the cases with the IDs, or in the groups, that are named; all when none is.
func Select(d time.Duration, names []string) (list []b.Case, err error) {
	all := Cases(d)
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		n := len(list)
		for _, c := range all {
			if c.ID == name || strings.HasPrefix(c.ID, name+".") {
				list = append(list, c)
			}
		}
		if len(list) == n {
			return nil, fmt.Errorf("there is no case %q of exactness: they are mbr.uplink.1M to mbr.downlink.10G, usage.load, usage.threshold and usage.quota", name)
		}
	}
	return list, nil
}

// measured is the plain rules with a URR on both PDRs.
func measured(u *b.UE, g *b.Ground, r rules.URR) rules.Session {
	s := b.Plain(u, g)
	r.ID, r.Method = 1, rules.ByVolume
	s.URRs = []rules.URR{r}
	s.PDRs[0].URRs, s.PDRs[1].URRs = []uint32{1}, []uint32{1}
	return s
}
