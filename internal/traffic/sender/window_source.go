package sender

import (
	"time"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// Windows is traffic.Windowed's.
func (e *Source) Windows(on bool) (can bool, err error) {
	w := &e.generator.windows
	if on && w.ring == nil {
		w.ring = window.New[window.Sent]()
	}
	w.on = on && len(e.flows) <= flowsMax
	return w.on == on, nil
}

// Complete is traffic.Windowed's.
func (e *Source) Complete(id uint64) bool {
	w := &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ring.Complete(id)
}

// Fold is traffic.Windowed's.
func (e *Source) Fold(id uint64, keep bool) {
	w := &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	into := &w.kept
	if !keep {
		into = &w.excluded
	}
	w.ring.Fold(id, keep, func(s *window.Sent) { add(into, s) })
}

// Span is traffic.WindowedSource's.
func (e *Source) Span() (first, end uint64) {
	w := &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan == nil {
		return 0, 0
	}
	return w.plan.from, w.plan.end()
}

// Extend is traffic.WindowedSource's.
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

// Counted is traffic.WindowedSource's.
func (e *Source) Counted() (kept, excluded traffic.Outcome) {
	g, w := &e.generator, &e.generator.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ring.Late(func(s *window.Sent) { add(&w.kept, s) })
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
