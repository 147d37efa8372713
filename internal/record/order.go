package record

import "slices"

// Order is the order in which the DUTs were visited: repeats are randomised complete blocks,
// of which each second one is the reverse of the one before, by a seed.
type Order struct {
	Seed uint64 `json:"seed"`
	// Visits are the labels of the DUTs, by repeat, in the order of their visits.
	Visits [][]string `json:"visits"`
}

// Visit notes a visit in a repeat, from 1.
func (o *Order) Visit(repeat int, label string) {
	for len(o.Visits) < repeat {
		o.Visits = append(o.Visits, nil)
	}
	o.Visits[repeat-1] = append(o.Visits[repeat-1], label)
}

// Before reports whether DUT a was visited before b in a repeat, from 1; known is false where
// one of them was not visited then, or the result is from before orders were kept.
func (o *Order) Before(repeat int, a, b string) (before, known bool) {
	if o == nil || repeat < 1 || repeat > len(o.Visits) {
		return false, false
	}
	first, second := slices.Index(o.Visits[repeat-1], a), slices.Index(o.Visits[repeat-1], b)
	return first < second, first >= 0 && second >= 0
}
