package behaviour

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// A rate is that of packets which were sent in windows in which the sender kept its pace:
// after a pause a meter has room for a burst, and none for what it left out. It takes
// rateWindows such windows, over rateFor at most.
const (
	rateBytes   = 1000
	rateWindow  = 20 * time.Millisecond
	rateWindows = 70
	rateFirst   = 10 // windows hold the meter's first burst
	rateFor     = 6 * time.Second
	// rateOff is how far a rate may be off: packets are few.
	rateOff = 0.15
)

// Limited offers packets at a rate and holds what arrives to a limit, both in kbit/s of
// T-PDUs. With several packets they are sent in turn, and share the limit.
func Limited(offered, limit int, list ...Packet) Step {
	text := fmt.Sprintf("offer %d kbit/s: %d arrive", offered, limit)
	return Step{Text: text, Do: func(t *T) error { return t.limited(offered, limit, list) }}
}

func (t *T) limited(offered, limit int, list []Packet) error {
	pps := offered * 1000 / 8 / rateBytes
	gap := time.Second / time.Duration(pps)
	windows, due := []window{{begin: time.Now()}}, time.Now()
	for n := 0; paced(windows) < rateWindows && time.Since(windows[0].begin) < rateFor && t.Ctx.Err() == nil; n++ {
		now := time.Now()
		w := &windows[len(windows)-1]
		if now.Sub(w.begin) >= rateWindow {
			windows = append(windows, window{begin: now})
			w = &windows[len(windows)-1]
		}
		if now.Sub(due) > 5*gap {
			due = now
			pause(windows)
		}
		p := list[n%len(list)].Sized(rateBytes)
		s, err := t.sendOne(&p)
		if err != nil {
			return err
		}
		w.sent = append(w.sent, s.number)
		due = due.Add(gap)
		if d := time.Until(due); d > time.Millisecond {
			t.wait(d)
		}
	}
	t.wait(quiet)
	if paced(windows) < rateWindows/2 {
		return soft(inapplicable("the machine is too busy to send %d kbit/s at a pace", offered))
	}
	return rated(t.rate(windows), offered, limit)
}

// window is what was sent in a part of the time.
type window struct {
	begin  time.Time
	sent   []uint64
	paused bool // the sender did not keep its pace
}

// pause notes that the sender stood still until now: in the window that goes on, or, where
// that has just begun, in the one before, whose time it took.
func pause(windows []window) {
	last := len(windows) - 1
	windows[last].paused = true
	if len(windows[last].sent) == 0 && last > 0 {
		windows[last-1].paused = true
	}
}

// steady reports whether window n counts: the first hold the meter's burst, and so does one
// after a pause.
func steady(windows []window, n int) bool {
	return n >= rateFirst && n < len(windows)-1 && !windows[n].paused && !windows[n-1].paused
}

func paced(windows []window) (n int) {
	for i := range windows {
		if steady(windows, i) {
			n++
		}
	}
	return n
}

// rate is what arrived of the windows that count, kbit/s; 0 when none does.
func (t *T) rate(windows []window) float64 {
	got, length := 0, time.Duration(0)
	for i := range windows {
		if !steady(windows, i) {
			continue
		}
		length += windows[i+1].begin.Sub(windows[i].begin)
		for _, n := range windows[i].sent {
			got += len(t.inbox.of(n))
		}
	}
	if length == 0 {
		return 0
	}
	return float64(got*rateBytes*8) / (length.Seconds() * 1000)
}

// rated judges a rate.
func rated(kbits float64, offered, limit int) error {
	f := &Failure{Verdict: record.VerdictWrong, Soft: true,
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
