package bisect

import "testing"

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name   string
		r      Reading
		limit  float64
		want   Verdict
		needed int
	}{
		{"clearly slower", Reading{Worse: 0.1, Lo: 0.08, Hi: 0.12, Repeats: 5, Known: true}, 0.05, Slower, 6},
		{"clearly not", Reading{Worse: 0.01, Lo: -0.01, Hi: 0.03, Repeats: 5, Known: true}, 0.05, NotSlower, 6},
		{"across the limit", Reading{Worse: 0.06, Lo: 0.02, Hi: 0.1, Repeats: 5, Known: true}, 0.05, CannotTell, 81},
		{"at the limit", Reading{Worse: 0.05, Lo: 0.02, Hi: 0.08, Repeats: 5, Known: true}, 0.05, CannotTell, 0},
		{"no interval", Reading{Worse: 0.5}, 0.05, CannotTell, 0},
		{"slower by at most that", Reading{Worse: 0.1, Lo: 0.08, Hi: 0.12, Repeats: 5, Known: true, AtMost: true}, 0.05, CannotTell, 0},
		{"not slower, at most", Reading{Worse: 0, Lo: -0.01, Hi: 0.01, Repeats: 5, Known: true, AtMost: true}, 0.05, NotSlower, 6},
		{"better", Reading{Worse: -0.2, Lo: -0.3, Hi: -0.1, Repeats: 5, Known: true}, 0.05, NotSlower, 6},
	} {
		if got := Decide(c.r, c.limit); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
		if got := Needed(c.r, c.limit); got != c.needed && !(got < c.needed && got > c.r.Repeats && c.needed > 0) {
			t.Errorf("%s: %d repeats, not %d", c.name, got, c.needed)
		}
	}
}

func TestClearest(t *testing.T) {
	list := []Reading{
		{Load: "wide", Worse: 0.5, Lo: 0.1, Hi: 0.9, Known: true, Shown: true},
		{Load: "sharp", Worse: 0.1, Lo: 0.09, Hi: 0.11, Known: true, Shown: true},
		{Load: "not shown", Worse: 0.1, Lo: 0.099, Hi: 0.101, Known: true},
	}
	if best := clearest(list); best == nil || best.Load != "sharp" {
		t.Errorf("%+v", best)
	}
	if best := clearest(list[2:]); best != nil {
		t.Errorf("%+v", best)
	}
}
