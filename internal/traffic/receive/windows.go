package receive

import (
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// windows are what a receiver counts by windows.
type windows struct {
	on        bool
	ring      *window.Ring[window.Received, *window.Received] // made when first asked for
	kept      traffic.FlowOutcome
	excluded  traffic.FlowOutcome
	uncounted uint64 // packets in no window
}

// Windows implements traffic.Windowed: it switches counting by windows on or off for the trials to
// come.
func (r *Receiver) Windows(on bool) (can bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on && r.windows.ring == nil {
		r.windows.ring = window.New[window.Received]()
	}
	r.windows.on = on
	return true, nil
}

func (w *windows) begin() {
	if w.on {
		w.ring.Reset()
		w.kept, w.excluded, w.uncounted = traffic.FlowOutcome{}, traffic.FlowOutcome{}, 0
	}
}

// at is where to count a packet; nil: nowhere.
func (w *windows) at(sig *signature.Signature, length int) *window.Received {
	if !w.on {
		return nil
	}
	slot := w.ring.At(sig.Intended)
	if slot == nil {
		w.uncounted++
		return nil
	}
	slot.Packets++
	slot.Bytes += uint64(length)
	return slot
}

// Complete implements traffic.Windowed: it reports whether all that was due in the window was counted.
func (r *Receiver) Complete(id uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.windows.ring.Complete(id)
}

// Fold implements traffic.Windowed: it adds what the window counted to what is kept or to what is
// excluded.
func (r *Receiver) Fold(id uint64, keep bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &r.windows
	into := &w.excluded
	if keep {
		into = &w.kept
	}
	w.ring.Fold(id, keep, func(r *window.Received) { into.AddWindow(id, r) })
}

// Counted implements traffic.Sink: it gives what was counted in the windows that were kept and
// in the others.
func (r *Receiver) Counted() (kept, excluded traffic.FlowOutcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.windows.ring.Late(r.windows.kept.AddLate)
	return r.windows.kept, r.windows.excluded
}
