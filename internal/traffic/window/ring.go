package window

import "sync/atomic"

// slot is Sent or Received.
type slot[T any] interface {
	*T
	head() *Head
	forget()
}

// Ring holds the newest windows of a source or sink: one writes, another one folds. In
// memory that a BPF program shares there are several rings, side by side, for as many
// that write at the same time.
type Ring[T any, P slot[T]] struct {
	slots []T // Size for each part; then one for each, of late packets
	state *State
	parts int
}

// Slots is how many slots so many parts have.
func Slots(parts int) int { return parts * (Size + 1) }

// New makes a ring for one that writes, who is in the same process. Who writes and who
// folds keep each other out.
func New[T any, P slot[T]]() *Ring[T, P] { return Over[T, P](make([]T, Slots(1)), &State{}) }

// Over makes a ring of memory that is shared with a BPF program.
func Over[T any, P slot[T]](slots []T, state *State) *Ring[T, P] {
	return &Ring[T, P]{slots, state, len(slots) / (Size + 1)}
}

// Reset empties it. Nobody may write.
func (r *Ring[T, P]) Reset() {
	for i := range r.slots {
		if s := P(&r.slots[i]); *s.head() != (Head{}) || i >= r.parts*Size {
			s.forget()
			*s.head() = Head{}
		}
	}
	*r.state = State{}
}

// At is where to count what was due at a time, ns of CLOCK_MONOTONIC: its window, or
// the late packets of all windows that were kept. nil: nowhere, since the window was
// excluded, or its slot is still taken, and then it will be.
func (r *Ring[T, P]) At(ns uint64) *T {
	id := ID(ns)
	s := &r.slots[id%Size]
	h := P(s).head()
	switch {
	case h.id == id:
	case id < r.state.folded:
		if !r.state.keeps(id) {
			return nil
		}
		return &r.slots[Size]
	case !h.claim(id):
		return nil
	}
	return s
}

func (h *Head) claim(id uint64) bool {
	if h.id != 0 {
		h.refused = max(h.refused, id)
		return false
	}
	h.id, h.partial = id, 0
	if id <= h.refused {
		h.partial = 1
	}
	return true
}

func (s *State) keeps(id uint64) bool {
	return s.folded-id <= remembered && s.kept[id/64%uint64(len(s.kept))]>>(id%64)&1 == 1
}

// Complete reports whether all that was due in a window was counted there so far. It
// was not when whoever folds was late, and the slot was taken by an older window.
func (r *Ring[T, P]) Complete(id uint64) bool {
	for part := range r.parts {
		h := P(r.at(part, id)).head()
		if atomic.LoadUint64(&h.id) == id && h.partial != 0 || atomic.LoadUint64(&h.id) != id && id <= h.refused {
			return false
		}
	}
	return true
}

func (r *Ring[T, P]) at(part int, id uint64) *T { return &r.slots[part*Size+int(id%Size)] }

// busy is the window of a slot that is being folded: no real one.
const busy = ^uint64(0)

// Fold ends a window: it gives what was counted to take, and then forgets it. What comes
// later is a late packet, of a window that was kept or not. Windows are folded in
// ascending order.
func (r *Ring[T, P]) Fold(id uint64, kept bool, take func(*T)) {
	r.state.decide(id, kept)
	for part := range r.parts {
		s := r.at(part, id)
		if h := P(s).head(); atomic.CompareAndSwapUint64(&h.id, id, busy) {
			take(s)
			P(s).forget()
			atomic.StoreUint64(&h.id, 0)
		}
	}
}

func (s *State) decide(id uint64, kept bool) {
	word, bit := &s.kept[id/64%uint64(len(s.kept))], uint64(1)<<(id%64)
	*word &^= bit
	if kept {
		*word |= bit
	}
	atomic.StoreUint64(&s.folded, id+1)
}

// Each gives what is counted so far in windows that were not folded yet, and of late
// packets. It is not called at the same time as Fold.
func (r *Ring[T, P]) Each(give func(*T)) {
	for i := range r.slots {
		if s := P(&r.slots[i]); i >= r.parts*Size || atomic.LoadUint64(&s.head().id) != 0 {
			give(s)
		}
	}
}

// Late gives the late packets of all windows that were kept, and forgets them.
func (r *Ring[T, P]) Late(take func(*T)) {
	for i := r.parts * Size; i < len(r.slots); i++ {
		take(&r.slots[i])
		P(&r.slots[i]).forget()
	}
}

func (s *Sent) forget() {
	s.Packets, s.Skipped, s.Late, s.Stalls = 0, 0, 0, 0
	s.Flows = [2]struct{ Packets, Bytes uint64 }{}
	s.Lateness.Clear()
}

func (s *Received) forget() {
	s.Packets, s.Bytes, s.JitterSum, s.JitterCount, s.Marked = 0, 0, 0, 0, 0
	for _, v := range []*Values{&s.Latency, &s.Actual, &s.IPDV} {
		v.Clear()
	}
}
