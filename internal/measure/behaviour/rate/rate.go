// Package rate holds the rate that passes to a limit.
package rate

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

const (
	rateBytes = 1000
	// rateSpan is what a rate is measured over: the default averaging window (TS 23.501 clauses
	// 5.7.2.6 and 5.7.3.6), so that a UPF may count in whole windows. rateFirst comes before, in which
	// a meter's first burst passes.
	rateSpan  = 2 * time.Second
	rateFirst = time.Second
	rateFor   = 8 * time.Second // of sending at most, where the sender pauses
	// partLeast is a time without a pause of the sender that counts, and rateLeast all of those that
	// it takes for a verdict.
	partLeast = 50 * time.Millisecond
	rateLeast = time.Second
	// rateOff is how far a rate may be off.
	rateOff = 0.05
	// lossLeast is the share of lost packets from which on a meter takes them, and not an accident.
	lossLeast = 0.02
)

// Limited offers packets at a rate and holds what arrives to a limit, both in kbit/s of
// T-PDUs. With several packets they are sent in turn, and share the limit.
func Limited(offered, limit int, list ...behaviour.Packet) behaviour.Step {
	text := fmt.Sprintf("offer %d kbit/s: %d arrive", offered, limit)
	return behaviour.Step{Text: text, Do: func(t *behaviour.T) error { return limited(t, offered, limit, list) }}
}

// metered is a packet that was sent at a pace.
type metered struct {
	at      time.Duration // since the first
	number  uint64
	paused  bool // the sender had paused before it
	arrived bool
}

func limited(t *behaviour.T, offered, limit int, list []behaviour.Packet) error {
	pps := offered * 1000 / 8 / rateBytes
	gap := time.Second / time.Duration(pps)
	begin, due := time.Now(), time.Now()
	var sent []metered
	var steady time.Duration // without pauses so far
	for n := 0; steady < rateFirst+rateSpan && time.Since(begin) < rateFor && t.Ctx.Err() == nil; n++ {
		now := time.Now()
		late := now.Sub(due) > 5*gap
		if late {
			due = now
		}
		p := list[n%len(list)].Sized(rateBytes)
		s, err := t.SendOne(&p)
		if err != nil {
			return err
		}
		if m := (metered{at: now.Sub(begin), number: s.Number, paused: late}); n == 0 || late {
			sent = append(sent, m)
		} else {
			steady += m.at - sent[n-1].at
			sent = append(sent, m)
		}
		due = due.Add(gap)
		if d := time.Until(due); d > time.Millisecond {
			t.Wait(d)
		}
	}
	t.Wait(behaviour.Quiet)
	for i := range sent {
		sent[i].arrived = len(t.Inbox.Of(sent[i].number)) > 0
	}
	kbits, over := passed(sent)
	if over < rateLeast {
		return fail.Repeated(fail.Inapplicable("the machine is too busy to send %d kbit/s at a pace", offered))
	}
	return rated(kbits, offered, limit)
}

// passed is the rate of the packets that arrived, kbit/s, and the time that it is of. It counts from
// a packet that was lost to a later one: at both a meter has no room, however much it has at other
// times, so that its burst and the phase of its windows do not matter. After a pause of the sender,
// in which a meter may have come to hold all that it can, a new part begins.
func passed(sent []metered) (kbits float64, over time.Duration) {
	packets, lost := 0, 0
	for _, m := range sent {
		if !m.arrived {
			lost++
		}
	}
	limited := float64(lost) > lossLeast*float64(len(sent))
	for begin := 0; begin < len(sent); {
		end := begin + 1
		for end < len(sent) && !sent[end].paused {
			end++
		}
		n, d := part(sent[begin:end], limited)
		packets, over = packets+n, over+d
		begin = end
	}
	if over == 0 {
		return 0, 0
	}
	return float64(packets*rateBytes*8) / (over.Seconds() * 1000), over
}

// part counts the packets that arrived in a time without a pause: of a meter those between two
// losses, else all.
func part(sent []metered, limited bool) (packets int, over time.Duration) {
	var lost []int
	for i := range sent {
		if !sent[i].arrived {
			lost = append(lost, i)
		}
	}
	from, to := 0, len(sent)-1
	if limited {
		if len(lost) < 2 {
			return 0, 0
		}
		from, to = lost[0], lost[len(lost)-1]
		for _, i := range lost {
			if sent[i].at-sent[from].at >= rateSpan {
				to = i
				break
			}
		}
	}
	if over = sent[to].at - sent[from].at; over < partLeast {
		return 0, 0
	}
	for _, m := range sent[from:to] {
		if m.arrived {
			packets++
		}
	}
	return packets, over
}

// rated judges a rate.
func rated(kbits float64, offered, limit int) error {
	f := &fail.Failure{Verdict: record.VerdictWrong, Soft: true, Symptom: fail.Rate,
		Expected: fmt.Sprintf("of %d kbit/s offered %d arrive, within %.0f %%", offered, limit, rateOff*100),
		Observed: fmt.Sprintf("%.0f kbit/s arrive", kbits)}
	switch {
	case kbits >= float64(limit)*(1-rateOff) && kbits <= float64(limit)*(1+rateOff):
		return nil
	case limit < offered && kbits > 0.9*float64(offered):
		f.Verdict = record.VerdictNotEnforced
	}
	return f
}
