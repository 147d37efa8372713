package resilience

import (
	"time"

	"github.com/upflab/upflab/internal/record"
)

// mute keeps the UEs from sending.
func (s *Stream) mute(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.ues {
		u.still = is
	}
}

// pathSwitch is where the downlink packets of UEs went that moved from gNB 0 to gNB 1, whose
// new TEID is the old one plus one.
func (s *Stream) pathSwitch() (h record.PathSwitch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	byTEID := map[uint32]int{}
	for i, u := range s.ues {
		byTEID[u.DownlinkTEID] = i
	}
	moved := make([]int64, len(s.ues))  // when the first packet came by the new tunnel
	marked := make([]int64, len(s.ues)) // when the End Marker came
	count := make([]int, len(s.ues))
	for _, m := range s.marks {
		h.EndMarkers++
		if i, known := byTEID[m.teid]; known && m.gnb == 0 {
			if count[i]++; count[i] == 1 {
				marked[i] = m.at
			}
		}
	}
	for i := range count {
		if count[i] == 1 {
			h.MarkedUEs++
		}
	}
	for _, a := range s.seen[downlink] {
		i := int(a.number) % len(s.ues)
		old := s.ues[i].DownlinkTEID
		switch {
		case a.gnb == 1 && a.teid == old+1:
			if moved[i] == 0 {
				moved[i] = a.at
			}
		case a.gnb == 0 && a.teid == old:
			if moved[i] > 0 {
				h.ToOld++
			}
			if marked[i] > 0 && a.at > marked[i] {
				h.AfterMarker++
			}
		default:
			h.Misdelivered++
		}
	}
	return h
}

// buffered is what became of downlink packets that were sent while UEs were idle, from and
// to a time, ns.
func (s *Stream) buffered(from, to int64) (k record.Buffering) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k.IdleS = time.Duration(to - from).Seconds()
	meant := func(n int64) bool {
		return n >= 0 && n < int64(len(s.sent[downlink])) && s.sent[downlink][n] > from && s.sent[downlink][n] < to
	}
	for n := range s.sent[downlink] {
		if meant(int64(n)) {
			k.Offered++
		}
	}
	got := map[int64]bool{}
	for _, a := range s.seen[downlink] {
		if !meant(a.number) || got[a.number] {
			continue
		}
		got[a.number] = true
		if a.at < to {
			k.Leaked++
			continue
		}
		k.Kept++
		after := time.Duration(a.at - to).Seconds()
		if k.Kept == 1 {
			k.FirstS = after
		}
		k.LastS = max(k.LastS, after)
	}
	k.Dropped = k.Offered - k.Kept - k.Leaked
	return k
}
