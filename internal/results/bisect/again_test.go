package bisect

import "testing"

// TestAgain: a few repeats know little of the scatter, so what they say is needed is tried
// as far as is allowed, unless it is far from that.
func TestAgain(t *testing.T) {
	s := Search{MaxRepeats: 20}
	for _, c := range []struct{ had, needed, want int }{
		{3, 6, 9}, {3, 0, 9}, {3, 18, 20}, {3, 40, 20}, {3, 81, 0}, {20, 21, 0}, {5, 0, 15},
	} {
		if got := s.again(c.had, c.needed); got != c.want {
			t.Errorf("after %d, needing %d: %d, not %d", c.had, c.needed, got, c.want)
		}
	}
}
