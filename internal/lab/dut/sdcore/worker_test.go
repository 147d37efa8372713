package sdcore

import "testing"

func TestLeastCost(t *testing.T) {
	for _, c := range []struct {
		why     string
		samples []polled
		want    float64
		ok      bool
	}{
		{"nothing was read", nil, 0, false},
		{"no task ran", []polled{{}, {}}, 0, false},
		{"one look", []polled{{cycles: 100, rounds: 1}, {cycles: 1100, rounds: 11}}, 100, true},
		{"another program ran in the second", []polled{{}, {cycles: 900, rounds: 10}, {cycles: 9900, rounds: 20}}, 90, true},
		{"packets came in the first", []polled{{}, {cycles: 9000, rounds: 10}, {cycles: 9800, rounds: 20}}, 80, true},
	} {
		if got, ok := leastCost(c.samples); got != c.want || ok != c.ok {
			t.Errorf("%s: %v, %v; want %v, %v", c.why, got, ok, c.want, c.ok)
		}
	}
}

func TestWork(t *testing.T) {
	for _, c := range []struct {
		why  string
		of   polled
		busy float64
	}{
		{"only idle", polled{all: 1000, cycles: 1000, rounds: 10, empty: 10}, 0},
		{"half of it", polled{all: 1200, cycles: 1000, rounds: 6, empty: 5}, 500},
		{"idle rounds that were cheaper than thought", polled{all: 900, cycles: 900, rounds: 10, empty: 10}, 0},
	} {
		if w := c.of.work(100); w.Busy != c.busy || w.Total != c.of.all {
			t.Errorf("%s: %+v, want %v busy", c.why, w, c.busy)
		}
	}
}
