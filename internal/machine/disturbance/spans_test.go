package disturbance

import (
	"math/rand/v2"
	"testing"
)

// TestSpans compares with a bit for each ns.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var l spans
		var set [300]bool
		for at := range 40 {
			from := uint64(max(0, at*5+r.IntN(40)-20))
			s := span{from, from + 1 + uint64(r.IntN(9))}
			l = l.insert(s)
			for i := s.from; i < s.to; i++ {
				set[i] = true
			}
		}
		for i := range uint64(len(set)) {
			if l.touch(span{i, i + 1}) != set[i] {
				t.Fatalf("at %d: %v in %v", i, !set[i], l)
			}
		}
		for i := 1; i < len(l); i++ {
			if l[i].from <= l[i-1].to {
				t.Fatalf("%v adjoin", l)
			}
		}
		if late := l.after(100); len(late) > 0 && late[0].to < 100 {
			t.Fatalf("%v is after 100", late)
		}
	}
}
