package resilience

import (
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// interruption is what became of one direction's packets that were sent from a time on, of
// UEs that took turns.
func interruption(sent []int64, seen []arrival, ues int, perS float64, from int64) *record.Interruption {
	i := &record.Interruption{SpacingS: float64(ues) / perS}
	got := make([]bool, len(sent))
	newest := make([]int64, ues)
	for n := range newest {
		newest[n] = -1
	}
	for _, a := range seen {
		if a.number < 0 || a.number >= int64(len(sent)) {
			continue
		}
		if got[a.number] {
			i.Duplicates++
			continue
		}
		got[a.number] = true
		u := int(a.number) % ues
		if a.number < newest[u] {
			i.Reordered++
		}
		newest[u] = max(newest[u], a.number)
	}
	sent, i.LostBefore = since(sent, got, from)
	var sum float64
	for u := range ues {
		longest, lost, of := gap(sent, got, u, ues)
		i.Sent += of
		i.Lost += lost
		sum += longest
		i.OutageS = max(i.OutageS, longest)
		if lost > 0 {
			i.AffectedUEs++
		}
	}
	i.MeanOutageS = sum / float64(ues)
	return i
}

// since leaves those out that were sent before a time, and counts what was lost of them.
func since(sent []int64, got []bool, from int64) (rest []int64, lost uint64) {
	rest = slices.Clone(sent)
	for n, at := range rest {
		if at >= from && at > 0 {
			break
		}
		if at > 0 && !got[n] {
			lost++
		}
		rest[n] = 0
	}
	return rest, lost
}

// gap is the longest run of lost packets of a UE, s, from its first to the next one that
// arrived, or to the last one sent.
func gap(sent []int64, got []bool, first, step int) (longest float64, lost, of uint64) {
	begun := int64(-1)
	end := func(at int64) {
		if begun >= 0 {
			longest = max(longest, time.Duration(at-begun).Seconds())
			begun = -1
		}
	}
	last := int64(0)
	for n := first; n < len(sent); n += step {
		at := sent[n]
		switch {
		case at == 0: // not sent
		case got[n]:
			of++
			end(at)
		default:
			of++
			lost++
			if begun < 0 {
				begun = at
			}
		}
		if at > 0 {
			last = at
		}
	}
	end(last)
	return longest, lost, of
}

// losses are those of both directions so far.
func (s *Stream) losses() (up, down *record.Interruption) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return interruption(s.sent[uplink], s.seen[uplink], len(s.ues), s.rate, s.event),
		interruption(s.sent[downlink], s.seen[downlink], len(s.ues), s.rate, s.event)
}

// begins marks the time from which on losses are the incident's.
func (s *Stream) begins() {
	s.mu.Lock()
	s.event = s.now()
	s.mu.Unlock()
}
