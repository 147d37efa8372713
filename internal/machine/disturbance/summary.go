package disturbance

import (
	"cmp"
	"maps"
	"slices"
)

// Entry is what one originator did on one CPU.
type Entry struct {
	Cause   Cause   `json:"cause"`
	CPU     int     `json:"cpu"`
	Who     string  `json:"who,omitempty"` // the name of the program or interrupt; "": not known
	Count   uint64  `json:"count"`
	Seconds float64 `json:"seconds"`   // of the disturbances themselves, without their backlog
	Longest float64 `json:"longest_s"` // seconds
}

// Summary lists originators, those that took most first.
type Summary struct {
	Entries []Entry
	// Of so many disturbances whose end is known, so many are Cut: their CPU was not idle
	// within ten times their length, so that what came later may have waited for them, too.
	Of, Cut uint64
	// Backlog is for how long that may have lasted in what counts, s: until the CPUs were
	// idle, the sum over them.
	Backlog float64
}

// Seconds is how long disturbances of a cause lasted in all, without their backlog,
// the sum over the CPUs.
func (s Summary) Seconds(c Cause) (sum float64) {
	for _, e := range s.Entries {
		if e.Cause == c {
			sum += e.Seconds
		}
	}
	return sum
}

// sum adds an interval to the sums.
func (h *history) sum(cpu int, i interval) {
	key := Entry{Cause: i.cause, CPU: cpu, Who: i.who}
	e, known := h.sums[key]
	if !known {
		e = key
	}
	length := float64(i.to-i.from) / 1e9
	e.Count++
	e.Seconds += length
	e.Longest = max(e.Longest, length)
	h.sums[key] = e
}

func (h *history) summary() Summary {
	list := slices.Collect(maps.Values(h.sums))
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.Who, b.Who))
	})
	backlog := h.backlog
	for _, from := range h.behind {
		backlog += h.seen - min(h.seen, from)
	}
	return Summary{list, h.settled, h.cuts, float64(backlog) / 1e9}
}
