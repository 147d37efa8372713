package xdp

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// sinkWindows are what a sink counts by windows. They are made when first asked for.
type sinkWindows struct {
	on      bool
	maps    *windowMaps
	ring    *receivedRing
	program *ebpf.Program // that counts by them

	mu       sync.Mutex // of what is folded while others watch
	kept     traffic.FlowOutcome
	excluded traffic.FlowOutcome
}

// partsMax is how many parts a ring has at most, 13 MB each.
const partsMax = 8

// Windows implements traffic.Windowed: it switches counting by windows on or off for the trials to
// come. It changes the program at the port, which has to be without traffic.
func (s *sink) Windows(on bool) (can bool, err error) {
	w := &s.windows
	if on && w.program == nil {
		parts, err := s.parts()
		if err != nil || parts > partsMax {
			return false, err
		}
		if err := s.openWindows(parts); err != nil {
			return false, err
		}
	}
	if w.on == on {
		return true, nil
	}
	w.on = on
	if s.link == nil {
		return true, nil
	}
	if err := s.link.Update(s.program()); err != nil {
		return false, fmt.Errorf("change the sink at %s: %w", s.port.Name, err)
	}
	return true, nil
}

// parts is how many receive at the same time: a queue's frames come one after the
// other. Frames that the program gets outside of the driver have none: there each CPU
// may be one.
func (s *sink) parts() (int, error) {
	switch {
	case s.generic:
		return ebpf.PossibleCPU()
	case s.link == nil:
		return 1, nil
	}
	return s.port.Queues().Receiving()
}

func (s *sink) openWindows(parts int) error {
	windowed := map[string]any{sinkVarWindowed: uint32(1), sinkVarWindowParts: uint32(parts), sinkVarWindowByCpu: flag(s.generic)}
	if s.stamps != nil {
		return s.openStampedWindows(parts, windowed)
	}
	spec, err := loadSink()
	if err != nil {
		return err
	}
	if err := errors.Join(setAll(spec, s.constants), setAll(spec, windowed)); err != nil {
		return err
	}
	maps, slots, state, err := makeWindows[window.Received](spec, parts)
	if err != nil {
		return err
	}
	var loaded struct {
		Sink *ebpf.Program `ebpf:"sink"`
	}
	if err := s.loaded.again(spec, maps.maps, &loaded); err != nil {
		return errors.Join(loadError("sink of windows", err), maps.close())
	}
	s.windows.maps, s.windows.program = maps, loaded.Sink
	s.windows.ring = window.Over[window.Received, *window.Received](slots, state)
	return nil
}

// program is the one that receives.
func (s *sink) program() *ebpf.Program {
	switch {
	case s.windows.on:
		return s.windows.program
	case s.stamps != nil:
		return s.stamps.program
	}
	return s.objects.Sink
}

func (w *sinkWindows) begin() {
	if !w.on {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ring.Reset()
	w.kept, w.excluded = traffic.FlowOutcome{}, traffic.FlowOutcome{}
}

// Complete implements traffic.Windowed: it reports whether all that was due in the window was counted.
func (s *sink) Complete(id uint64) bool { return s.windows.ring.Complete(id) }

// Fold implements traffic.Windowed: it adds what the window counted to what is kept or to what is
// excluded.
func (s *sink) Fold(id uint64, keep bool) {
	w := &s.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	into := &w.excluded
	if keep {
		into = &w.kept
	}
	w.ring.Fold(id, keep, func(r *window.Received) { into.AddWindow(id, r) })
}

// addLatency adds the latencies so far, of all windows, to the counts of h.
func (w *sinkWindows) addLatency(h *traffic.Histogram) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.AddCounts(&w.kept.Latency)
	h.AddCounts(&w.excluded.Latency)
	w.ring.Each(func(r *window.Received) {
		h.Count += r.Latency.AddTo(&h.Counts)
	})
}

// Counted implements traffic.Sink: it gives what was counted in the windows that were kept and
// in the others.
func (s *sink) Counted() (kept, excluded traffic.FlowOutcome) {
	w := &s.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ring.Late(w.kept.AddLate)
	return w.kept, w.excluded
}

func (w *sinkWindows) close() error {
	return errors.Join(closeAll(w.program), w.maps.close())
}
