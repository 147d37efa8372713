package traffic

import (
	"slices"

	"github.com/upflab/upflab/internal/traffic/window"
)

// talliesMax is how many tallies a list has at most. When there are more, neighbours are put
// together: half as many of twice the length. Trials of up to 8.6 s keep each window.
const talliesMax = 8192

// Tallies are the counts of a trial by time: a tally is 2^Level windows that lie together. They
// are what sums of a trial are made of. Packets that came after their window was folded are in
// none.
type Tallies struct {
	Level uint
	List  []Tally // ascending by ID
}

// Tally is what was counted in some windows; its first window is ID << Level. A source counts
// what was sent, a sink what was received.
type Tally struct {
	ID                              uint64
	Intended, Skipped, Late, Stalls uint64 // packets, but for stalls; of all flows together
	Sent, SentBytes                 uint64
	Received, ReceivedBytes         uint64
	Jitter                          Jitter
}

// plus adds up what was counted; the window is t's.
func (t Tally) plus(o Tally) Tally {
	t.Intended, t.Skipped, t.Late, t.Stalls = t.Intended+o.Intended, t.Skipped+o.Skipped, t.Late+o.Late, t.Stalls+o.Stalls
	t.Sent, t.SentBytes = t.Sent+o.Sent, t.SentBytes+o.SentBytes
	t.Received, t.ReceivedBytes = t.Received+o.Received, t.ReceivedBytes+o.ReceivedBytes
	t.Jitter.merge(o.Jitter)
	return t
}

// Sum is what was counted in all windows.
func (l *Tallies) Sum() (sum Tally) {
	for _, t := range l.List {
		sum = sum.plus(t)
	}
	sum.ID = 0
	return sum
}

// Less is what t has beyond another tally, which is a part of it.
func (t Tally) Less(part Tally) Tally {
	return Tally{
		Intended: t.Intended - part.Intended, Skipped: t.Skipped - part.Skipped, Late: t.Late - part.Late, Stalls: t.Stalls - part.Stalls,
		Sent: t.Sent - part.Sent, SentBytes: t.SentBytes - part.SentBytes,
		Received: t.Received - part.Received, ReceivedBytes: t.ReceivedBytes - part.ReceivedBytes,
		Jitter: Jitter{t.Jitter.Sum - part.Jitter.Sum, t.Jitter.Count - part.Jitter.Count},
	}
}

// add adds what was counted in a window; 0: in none.
func (l *Tallies) add(id uint64, t Tally) {
	if id != 0 {
		l.put(id>>l.Level, t)
	}
}

// put adds to a tally, which is mostly the last one.
func (l *Tallies) put(id uint64, t Tally) {
	t.ID = id
	i := len(l.List)
	for i > 0 && l.List[i-1].ID > id {
		i--
	}
	if i > 0 && l.List[i-1].ID == id {
		l.List[i-1] = l.List[i-1].plus(t)
		return
	}
	l.List = slices.Insert(l.List, i, t)
	for len(l.List) > talliesMax {
		l.coarsen()
	}
}

// coarsen puts neighbours together.
func (l *Tallies) coarsen() {
	l.Level++
	kept := l.List[:0]
	for _, t := range l.List {
		t.ID >>= 1
		if n := len(kept); n > 0 && kept[n-1].ID == t.ID {
			kept[n-1] = kept[n-1].plus(t)
			continue
		}
		kept = append(kept, t)
	}
	l.List = kept
}

// merge adds those of another part of the trial.
func (l *Tallies) merge(other *Tallies) {
	for l.Level < other.Level {
		l.coarsen()
	}
	for _, t := range other.List {
		l.put(t.ID>>(l.Level-other.Level), t)
	}
}

// sentIn is what a source counted in a window, of all flows.
func sentIn(w *window.Sent) Tally {
	return Tally{Intended: w.Packets + w.Skipped, Sent: w.Packets, Skipped: w.Skipped, Late: w.Late, Stalls: w.Stalls}
}

// receivedIn is what a sink counted in a window.
func receivedIn(w *window.Received) Tally {
	return Tally{Received: w.Packets, ReceivedBytes: w.Bytes, Jitter: Jitter{w.JitterSum, w.JitterCount}}
}
