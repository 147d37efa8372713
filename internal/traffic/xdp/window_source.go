package xdp

import (
	"errors"
	"time"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// sourceWindows are what a source counts by windows: those of all its generators, of
// which one sends at a time. They are made when first asked for.
type sourceWindows struct {
	on             bool
	maps           *windowMaps
	ring           *sentRing
	kept, excluded traffic.Outcome
}

// windowedPrograms are a generator's that count by windows.
type windowedPrograms struct {
	Paced *ebpf.Program `ebpf:"paced"`
	Flood *ebpf.Program `ebpf:"flood"`
}

// Windows implements traffic.Windowed: it switches counting by windows on or off for the trials to
// come.
func (s *source) Windows(on bool) (can bool, err error) {
	if on && s.windows.maps == nil {
		if err := s.windows.open(); err != nil {
			return false, err
		}
	}
	s.windows.on = on
	return true, nil
}

func (w *sourceWindows) open() error {
	spec, err := loadGenerator()
	if err != nil {
		return err
	}
	maps, slots, state, err := makeWindows[window.Sent](spec, 1)
	if err != nil {
		return err
	}
	w.maps, w.ring = maps, window.Over[window.Sent, *window.Sent](slots, state)
	return nil
}

// begin prepares a generator and forgets the trial before.
func (w *sourceWindows) begin(g *generator, flows int) error {
	g.windowed = w.on
	if !w.on {
		return nil
	}
	w.ring.Reset()
	w.kept.Reset(flows)
	w.excluded.Reset(flows)
	return g.openWindows(w.maps)
}

// openWindows loads the programs that count by windows.
func (g *generator) openWindows(w *windowMaps) error {
	if g.programs.Paced != nil {
		return nil
	}
	spec, err := loadGenerator()
	if err != nil {
		return err
	}
	if err := errors.Join(setAll(spec, g.constants), setAll(spec, map[string]any{generatorVarWindowed: uint32(1)})); err != nil {
		return err
	}
	if err := g.loaded.again(spec, w.maps, &g.programs); err != nil {
		return loadError("generator of windows", err)
	}
	return nil
}

// Complete implements traffic.Windowed: it reports whether all that was due in the window was counted.
func (s *source) Complete(id uint64) bool { return s.windows.ring.Complete(id) }

// Fold implements traffic.Windowed: it adds what the window counted to what is kept or to what is
// excluded.
func (s *source) Fold(id uint64, keep bool) {
	into := &s.windows.kept
	if !keep {
		into = &s.windows.excluded
	}
	s.windows.ring.Fold(id, keep, func(w *window.Sent) { s.add(into, id, w) })
}

// add adds what was sent in a window; 0: late.
func (s *source) add(o *traffic.Outcome, id uint64, w *window.Sent) {
	o.AddWindow(id, w)
	g := s.current.Load()
	if g.shapes == nil {
		o.Flows[g.slot.Flow].AddSent(id, w.Packets, w.Packets*uint64(len(g.page)))
	} else {
		o.AddFlows(id, w)
	}
}

// Span implements traffic.Source: it gives when the first slot of the trial is due and when
// the gap of its last one ends.
func (s *source) Span() (first, end uint64) {
	g := s.current.Load()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.begun {
		return 0, 0
	}
	return g.firstSlot(s.control, s.schedule), s.control.End + g.shifted()
}

// Extend implements traffic.Source: it lets the trial take this long in all, counted from its
// first slot.
func (s *source) Extend(d time.Duration) error {
	g, c := s.current.Load(), &s.control
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.running {
		return nil
	}
	first := g.firstSlot(*c, s.schedule)
	if c.Gap == 0 {
		c.End = max(c.End, first+uint64(d))
	} else if slots := s.schedule.Slots(d); slots > c.Slots {
		c.Slots, c.End = slots, first+uint64(s.schedule.Span(slots))
	}
	return g.write(*c, c.Start)
}

// Counted implements traffic.Source: it gives what was counted in the windows that were kept
// and in the others.
func (s *source) Counted() (kept, excluded traffic.Outcome) {
	w := &s.windows
	w.ring.Late(func(sent *window.Sent) { s.add(&w.kept, 0, sent) })
	kept = w.kept
	if p := s.current.Load().progress(); s.control.Gap != 0 {
		all := s.intended(p)
		kept.Intended += all - min(all, p.Sent+p.Skipped)
	}
	return kept, w.excluded
}
