package traffic

import (
	"errors"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/traffic/window"
)

const (
	// foldAfter is how long after its end a window is decided on: what disturbed it is
	// known by then, and nearly all of its packets have arrived.
	foldAfter = 200 * time.Millisecond
	// lookAfter is the same for a first look, by which the trial's end is set.
	lookAfter = 20 * time.Millisecond
	// foldEvery is how often windows are folded: a few at a time, for that takes a CPU.
	foldEvery = 100 * time.Millisecond
	// extendBefore is how long before its end a trial can be extended: slots that are added
	// when it is over would be late.
	extendBefore = 2 * time.Millisecond
)

// verdicts decide which windows of a trial count: once for each, for all sources and
// sinks. They run from start to finish.
type verdicts struct {
	schedule Schedule
	sources  []Source   // those that count by windows
	parts    []Windowed // these sources, and sinks

	cut      uint64 // ns, sending has ended; 0: it has not
	next     uint64 // the first window that was not decided on; 0: none was
	windows  uint64
	excluded uint64
	ns, all  uint64 // of the trial, that were excluded, and of all its windows
	out      []Span // excluded windows, adjoining ones together
	looked   uint64 // ns, when the trial's end was last set
	slowest  uint64 // ns between two such times

	ending  chan struct{}
	ended   sync.WaitGroup
	started sync.Once
	err     error
}

// start decides while the trial runs.
func (v *verdicts) start() {
	v.started.Do(func() {
		v.ended.Go(func() {
			ticks := time.NewTicker(foldEvery)
			defer ticks.Stop()
			for {
				select {
				case <-v.ending:
					return
				case <-ticks.C:
					v.look(threads.Monotonic())
				}
			}
		})
	})
}

// look does what there is to do at a time.
func (v *verdicts) look(now uint64) {
	first, end := v.span()
	if first == 0 {
		return
	}
	v.err = errors.Join(v.err, v.extend(first, end, now))
	v.fold(first, end, now-uint64(foldAfter))
}

// stop ends what start began.
func (v *verdicts) stop() {
	close(v.ending)
	v.ended.Wait()
}

// finish decides on what is left. Sending has ended at a time.
func (v *verdicts) finish(sent uint64) {
	v.cut = sent
	first, end := v.span()
	if first == 0 {
		return
	}
	_, last := window.Bounds(window.ID(end))
	if wait := time.Duration(last) + foldAfter - time.Duration(threads.Monotonic()); wait > 0 {
		time.Sleep(wait)
	}
	v.fold(first, end, last)
}

// span is when the trial's first slot is due and when its last one's gap ends; zeros
// before it has begun.
func (v *verdicts) span() (first, end uint64) {
	for _, s := range v.sources {
		from, to := s.Span()
		if from != 0 && (first == 0 || from < first) {
			first = from
		}
		end = max(end, to)
	}
	if v.cut != 0 {
		end = min(end, v.cut)
	}
	return first, end
}

// fold decides on the windows of the trial, from a first time to an end, that have ended
// by another one.
func (v *verdicts) fold(first, end, by uint64) {
	if v.next == 0 {
		v.next = window.ID(first)
	}
	for id := v.next; (id+1)<<window.Bits <= by && id<<window.Bits < end; id++ {
		v.decide(id, overlap(id, first, end))
		v.next = id + 1
	}
}

// decide folds a window of which so many ns are the trial's.
func (v *verdicts) decide(id, ns uint64) {
	keep := !v.schedule.Excluded(window.Bounds(id))
	for _, p := range v.parts {
		keep = keep && p.Complete(id)
	}
	for _, p := range v.parts {
		p.Fold(id, keep)
	}
	v.windows++
	v.all += ns
	if !keep {
		v.excluded++
		v.ns += ns
		v.leaveOut(window.Bounds(id))
	}
}

func (v *verdicts) leaveOut(from, to uint64) {
	if n := len(v.out); n > 0 && v.out[n-1].Last == from {
		v.out[n-1].Last = to
		return
	}
	v.out = append(v.out, Span{from, to})
}

// less is how long something took, from a time on, without the windows that were
// excluded.
func (v *verdicts) less(first uint64, seconds float64) float64 {
	end := first + uint64(seconds*1e9)
	for _, x := range v.out {
		from, to := max(x.First, first), min(x.Last, end)
		seconds -= float64(to-min(from, to)) / 1e9
	}
	return max(0, seconds)
}

// overlap is how much of a window lies between two times, ns.
func overlap(id, first, end uint64) uint64 {
	from, to := window.Bounds(id)
	from, to = max(from, first), min(to, end)
	return to - min(from, to)
}

// extend moves the trial's end, so that so much time is undisturbed as was asked for. Of
// the last windows before the end nothing will be known in time: as much of them is
// taken to be disturbed as of all those before.
func (v *verdicts) extend(first, end, now uint64) error {
	if v.schedule.Most <= v.schedule.Duration {
		return nil
	}
	lost, seen := v.lost(first, end, now-uint64(lookAfter))
	if lost == 0 {
		return nil
	}
	d := v.schedule.Duration + time.Duration(lost)
	unseen := max(0, min(d-time.Duration(seen-first), v.unseen(now)))
	d += time.Duration(float64(unseen) * float64(lost) / float64(seen-first))
	if threads.Monotonic()+uint64(extendBefore) > end {
		return nil
	}
	return v.lengthen(min(d, v.schedule.Most))
}

// unseen is of how long before the trial's end nothing will be known in time: it depends
// on how regularly there is a CPU to look.
func (v *verdicts) unseen(now uint64) time.Duration {
	if v.looked != 0 {
		v.slowest = max(v.slowest, now-v.looked)
	}
	v.looked = now
	return lookAfter + foldEvery + max(foldEvery, time.Duration(v.slowest))
}

// lost is how much of the trial was disturbed until a time, as far as windows have ended
// by then: until seen.
func (v *verdicts) lost(first, end, by uint64) (ns, seen uint64) {
	ns, seen = v.ns, first
	id := v.next
	if id == 0 {
		id = window.ID(first)
	}
	for ; (id+1)<<window.Bits <= by && id<<window.Bits < end; id++ {
		if v.schedule.Excluded(window.Bounds(id)) {
			ns += overlap(id, first, end)
		}
	}
	return ns, max(seen, min(id<<window.Bits, end))
}

func (v *verdicts) lengthen(d time.Duration) error {
	for _, s := range v.sources {
		if err := s.Extend(d); err != nil {
			return err
		}
	}
	return nil
}
