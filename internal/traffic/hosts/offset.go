package hosts

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
)

// exchanges is how often a host is asked for its clock before a trial: the quickest answer
// says most.
const exchanges = 8

// setClocks has all hosts count by this host's clock.
func (s *Session) setClocks(ctx context.Context) error {
	own, known := kernelID(), map[string]Offset{}
	for _, h := range s.Hosts() {
		o, measured := known[h.Facts.Clock.Kernel]
		if !measured {
			var err error
			if o, err = h.measureOffset(ctx, own); err != nil {
				return err
			}
		}
		o = h.keep(o)
		if k := h.Facts.Clock.Kernel; k != "" {
			known[k] = o // hosts with one clock are moved alike
		}
		if _, err := ask[nothing](ctx, h, methodMove, moving{o.By}); err != nil {
			return err
		}
	}
	return nil
}

// keep keeps an offset, or the one before where that is still better.
func (h *Host) keep(o Offset) Offset {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.at.IsZero() && !o.Same {
		o = o.better(h.offset, time.Since(h.at))
	}
	h.offset, h.at = o, time.Now()
	return o
}

func (h *Host) measureOffset(ctx context.Context, own string) (best Offset, err error) {
	for i := range exchanges {
		x := exchange{asked: threads.Monotonic()}
		if x.theirs, err = ask[Reading](ctx, h, methodClock, nothing{}); err != nil {
			return best, err
		}
		x.answered = threads.Monotonic()
		h.Facts.Clock = x.theirs
		if o := x.offset(own); i == 0 || o.ErrorNS < best.ErrorNS {
			best = o
		}
		if best.Same {
			break
		}
	}
	return best, nil
}

// Offset is what is known of the host's clock.
func (h *Host) Offset() Offset {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.offset
}
