package sender

import (
	"time"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// Windows implements traffic.Windowed: it switches counting by windows on or off for the trials to
// come.
func (e *Source) Windows(on bool) (can bool, err error) {
	w := &e.generator.windows
	if on && w.ring == nil {
		w.ring = window.New[window.Sent]()
	}
	w.on = on && len(e.flows) <= flowsMax
	return w.on == on, nil
}

// Complete implements traffic.Windowed: it reports whether all that was due in the window was counted.
func (e *Source) Complete(id uint64) bool {
	w := &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ring.Complete(id)
}

// Fold implements traffic.Windowed: it adds what the window counted to what is kept or to what is
// excluded.
func (e *Source) Fold(id uint64, keep bool) {
	w := &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	into := &w.kept
	if !keep {
		into = &w.excluded
	}
	w.ring.Fold(id, keep, func(s *window.Sent) { add(into, id, s) })
}

// Span implements traffic.Source: it gives when the first slot of the trial is due and when
// the gap of its last one ends.
func (e *Source) Span() (first, end uint64) {
	w := &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan == nil {
		return 0, 0
	}
	return w.plan.from, w.plan.end()
}

// Extend implements traffic.Source: it lets the trial take this long in all, counted from its
// first slot.
func (e *Source) Extend(d time.Duration) error {
	w, s := &e.generator.windows, e.schedule
	w.mu.Lock()
	defer w.mu.Unlock()
	switch p := w.plan; {
	case p == nil:
	case p.max:
		p.extend(0, p.from+uint64(d))
	default:
		slots := s.Slots(d)
		p.extend(slots, p.from+uint64(s.Span(slots)))
	}
	return nil
}

// Counted implements traffic.Source: it gives what was counted in the windows that were kept
// and in the others.
func (e *Source) Counted() (kept, excluded traffic.Outcome) {
	g, w := &e.generator, &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ring.Late(func(s *window.Sent) { add(&w.kept, 0, s) })
	kept = w.kept
	if p := w.plan; p != nil {
		all := e.intended(p)
		kept.Intended += all - min(all, g.sent.Load()+g.skipped)
	}
	return kept, w.excluded
}

// Excluded is how many packets of the trial were sent in windows that were excluded, and
// how many slots of the whole trial were skipped.
func (e *Source) Excluded() (sent, skipped uint64) {
	w := &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.excluded.Sent + w.uncounted, e.generator.skipped
}
