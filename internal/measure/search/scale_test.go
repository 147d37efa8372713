package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

func TestScale(t *testing.T) {
	for _, c := range []struct {
		lowest, highest float64
		widths          []float64
	}{
		{9001, 14.88e6, []float64{0.005}},
		{10, 1e12, []float64{0.005, 0.01, 0.02}},
		{1000, 1001, []float64{0.005}}, // narrower than the width
		{1, 6e6, []float64{0.5, 0.0001}},
		{500, 1000, []float64{0.5}},                    // the width spans all loads, exactly
		{500, 2000, []float64{0.5}},                    // half of them, on a logarithmic scale
		{1000, 1e6, []float64{0.5, 0.9, 0.99}},         // widths that are whole parts of each other
		{500, 1000, []float64{0.5, 0.0001, 0.0003}},    // the narrowest with the widest
		{math.Nextafter(500, 0), 1000, []float64{0.5}}, // wider than the width by a bit
	} {
		s := newScale(c.lowest, c.highest, c.widths)
		if s.pps(0) != c.lowest || s.pps(s.top) != c.highest {
			t.Errorf("%v: ends %v and %v", c, s.pps(0), s.pps(s.top))
		}
		for _, w := range c.widths {
			checkWidth(t, s, w)
		}
		for range 1000 {
			if i := rand.IntN(s.top + 1); s.floor(s.pps(i)) != i {
				t.Fatalf("%v: load %d of %d comes back as %d", c, i, s.top, s.floor(s.pps(i)))
			}
		}
	}
}

func checkWidth(t *testing.T, s scale, w float64) {
	t.Helper()
	steps := s.steps(w)
	if steps == s.top {
		return // all there is
	}
	low, high := s.pps(0), s.pps(steps)
	if got := (high - low) / high; got > w || got < 0.98*w {
		t.Errorf("width %v is %v on the scale", w, got)
	}
}

// Whatever the loads and widths, a scale is found, and its steps are as fine as the
// widths ask for and no finer than some hundred of them.
func FuzzScale(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(500.0, 1000.0, 0.5, 0.5)
	f.Add(500.0, 2000.0, 0.5, 0.0001)
	f.Fuzz(func(t *testing.T, lowest, highest, width, other float64) {
		for _, w := range []float64{width, other} {
			if !(w >= narrowest && w <= widest) {
				t.Skip()
			}
		}
		if checkRange(lowest, highest) != nil {
			t.Skip()
		}
		s := newScale(lowest, highest, []float64{width, other})
		checkWidth(t, s, width)
		checkWidth(t, s, other)
		if most := 1000 * (1 + s.log/min(width, other)); float64(s.top) > most {
			t.Errorf("%v..%v by %v and %v: %d steps, expected at most %v", lowest, highest, width, other, s.top, most)
		}
	})
}

func TestFloorOfOddLoads(t *testing.T) {
	s := newScale(10, 1000, []float64{0.01})
	for _, c := range []struct {
		pps  float64
		want int
	}{{math.NaN(), 0}, {-1, 0}, {0, 0}, {9.99, 0}, {1001, s.top}, {math.Inf(1), s.top}} {
		if got := s.floor(c.pps); got != c.want {
			t.Errorf("floor of %v is %d, want %d", c.pps, got, c.want)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct{ lower, upper, width, want int }{
		{0, 20, 10, 10}, // even
		{0, 30, 10, 10}, // 10 + 20: the lower part is the smaller
		{0, 40, 10, 20},
		{0, 50, 10, 20},         // 20 + 30 is more even than 10 + 40
		{0, 80, 10, 40},         //
		{100, 115, 10, 5 + 100}, // between one and two widths: by half the width
		{0, 5, 3, 2},            // odd width: plain halves
	} {
		if got := middle(c.lower, c.upper, c.width); got != c.want {
			t.Errorf("middle of %d..%d by %d is %d, want %d", c.lower, c.upper, c.width, got, c.want)
		}
	}
}

// Whatever the numbers, the middle lies inside, and a placed load keeps its
// distance.
func TestIntervalsHold(t *testing.T) {
	s := scale{top: 1000}
	for range 20000 {
		width := 1 + rand.IntN(100)
		lo := rand.IntN(900)
		hi := lo + width + 1 + rand.IntN(500)
		if m := middle(lo, hi, width); m <= lo || m >= hi {
			t.Fatalf("middle of %d..%d by %d is %d", lo, hi, width, m)
		}
		b := bounds{lower: mark{lo, rand.IntN(2) == 0}, upper: mark{min(hi, s.top), rand.IntN(2) == 0}}
		load, ok := s.place(rand.IntN(1400)-200, width, b)
		if !ok {
			continue
		}
		if load < 0 || load > s.top || b.lower.ok && load <= lo || b.upper.ok && load >= b.upper.load {
			t.Fatalf("placed at %d within %v", load, b)
		}
	}
}
