package hosts

import (
	"sync"
	"time"
)

// windows are those of a source or a sink on another host. They are asked for and folded
// many together.
type windows struct {
	mu     sync.Mutex
	from   uint64 // the first window of good
	good   []bool
	folded []folding // that the host does not know of yet
	timer  *time.Timer
	asking sync.Mutex // folds reach the host in their order
}

func (w *windows) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.from, w.good, w.folded = 0, nil, nil
}

func (w *windows) turn(h *Host, of Of, on bool) (bool, error) {
	a, err := ask[ability](h.ctx, h, methodWindows, switching{of, on})
	return a.Can, err
}

// complete reports whether a window is. Without an answer it is not.
func (w *windows) complete(h *Host, of Of, id uint64) bool {
	w.mu.Lock()
	at, known := id-w.from, w.from != 0 && id >= w.from && id-w.from < uint64(len(w.good))
	if known {
		defer w.mu.Unlock()
		return w.good[at]
	}
	w.mu.Unlock()
	l, err := w.look(h, of, id)
	if err != nil || len(l.Good) == 0 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.from, w.good = id, l.Good
	return l.Good[0]
}

// foldWithin is how long a fold may wait for others.
const foldWithin = 5 * time.Millisecond

func (w *windows) fold(h *Host, of Of, id uint64, keep bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folded = append(w.folded, folding{id, keep})
	if w.timer == nil {
		w.timer = time.AfterFunc(foldWithin, func() { _, _ = w.look(h, of, 0) }) // without an answer the host is lost
	}
}

// look gives the host the folds that wait, and asks for windows from one on, 0: none.
func (w *windows) look(h *Host, of Of, from uint64) (looked, error) {
	w.asking.Lock()
	defer w.asking.Unlock()
	w.mu.Lock()
	folded := w.folded
	w.folded, w.timer = nil, nil
	w.mu.Unlock()
	return ask[looked](h.ctx, h, methodLook, looking{of, folded, from})
}

// counted is what was counted, when all is folded.
func (w *windows) counted(h *Host, of Of) (countedOutcome, error) {
	if _, err := w.look(h, of, 0); err != nil {
		return countedOutcome{}, err
	}
	return ask[countedOutcome](h.ctx, h, methodCounted, of)
}
