package traffic

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Every process keeps the rate: its gaps add up to a unit each.
func TestArrivalsKeepTheRate(t *testing.T) {
	for name, a := range map[string]Arrivals{
		"Poisson 1": Poisson(1), "Poisson 2": Poisson(2), "bursts of 1": Bursts(1), "bursts of 32": Bursts(32), "bursts of 4096": Bursts(4096),
		"bursts of 7": Bursts(7), "on/off": must(OnOff(1000, 30*time.Millisecond, 70*time.Millisecond)),
		"recorded": must(Gaps([]time.Duration{0, 5, 0, 1e9, 3})), "recorded at once": must(Gaps(make([]time.Duration, 5))),
	} {
		var sum uint64
		for _, gap := range a {
			sum += uint64(gap)
		}
		if sum != uint64(len(a))*ArrivalUnit {
			t.Errorf("%s: %d gaps, %d units, want %d", name, len(a), sum, len(a)*ArrivalUnit)
		}
	}
}

// Exponential gaps: the deviation is the mean, and a share 1-1/e is shorter.
func TestPoissonIsExponential(t *testing.T) {
	a := Poisson(7)
	var squares, shorter float64
	for _, gap := range a {
		x := float64(gap)/ArrivalUnit - 1
		squares += x * x
		if x < 0 {
			shorter++
		}
	}
	if deviation := math.Sqrt(squares / MaxArrivals); math.Abs(deviation-1) > 0.03 {
		t.Errorf("the deviation is %.3f of the mean, want 1", deviation)
	}
	if share := shorter / MaxArrivals; math.Abs(share-(1-1/math.E)) > 0.01 {
		t.Errorf("%.3f of the gaps are shorter than the mean, want %.3f", share, 1-1/math.E)
	}
	if !slices.Equal(a, Poisson(7)) || slices.Equal(a, Poisson(8)) {
		t.Error("the same seed gives other gaps")
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		why  string
		a    Arrivals
		n    uint64
		want time.Duration
	}{
		{"constant", nil, 5, 5 * time.Millisecond},
		{"the first", Bursts(4), 0, 0},
		{"the last of a burst", Bursts(4), 3, 0},
		{"the first of the next", Bursts(4), 4, 4 * time.Millisecond},
		{"within the next", Bursts(4), 6, 4 * time.Millisecond},
		{"when the table has come round", Bursts(4), MaxArrivals + 4, (MaxArrivals + 4) * time.Millisecond},
		{"a round of Poisson", Poisson(1), MaxArrivals, MaxArrivals * time.Millisecond},
	} {
		if got := (Schedule{PPS: 1000, Arrivals: c.a}).Span(c.n); got != c.want {
			t.Errorf("%s: slot %d is at %v, want %v", c.why, c.n, got, c.want)
		}
	}
}

// Each round of a reshuffled table has all gaps, in an order that no round before it had:
// neighbours of one are far apart in the next.
func TestReshuffledRounds(t *testing.T) {
	s := Schedule{PPS: 1000, Arrivals: Poisson(5), Reshuffle: true}
	plain := Schedule{PPS: 1000, Arrivals: s.Arrivals}
	for _, n := range []uint64{0, 1, 1000, MaxArrivals} {
		if s.Span(n) != plain.Span(n) {
			t.Errorf("slot %d of the first round is at %v, want %v", n, s.Span(n), plain.Span(n))
		}
	}
	strides := map[uint32]bool{}
	for round := range uint64(20) {
		strides[Stride(round)] = true
		met := make([]bool, MaxArrivals)
		for i := range MaxArrivals {
			met[Place(round, i)] = true
		}
		if slices.Contains(met, false) {
			t.Errorf("round %d leaves gaps out", round)
		}
		if got, want := s.Span(round*MaxArrivals), time.Duration(round)*MaxArrivals*time.Millisecond; got != want {
			t.Errorf("round %d begins at %v, want %v", round, got, want)
		}
	}
	if len(strides) < 20 {
		t.Errorf("20 rounds have %d orders", len(strides))
	}
	// The sums of runs of 1000 gaps of two rounds know nothing of each other.
	var both, one, two float64
	for at := uint64(0); at+1000 <= MaxArrivals; at += 1000 {
		a := (s.Span(at+1000) - s.Span(at) - time.Second).Seconds()
		b := (s.Span(MaxArrivals+at+1000) - s.Span(MaxArrivals+at) - time.Second).Seconds()
		both, one, two = both+a*b, one+a*a, two+b*b
	}
	if r := both / math.Sqrt(one*two); math.Abs(r) > 0.35 {
		t.Errorf("runs of two rounds correlate by %.2f", r)
	}
}

func must(a Arrivals, err error) Arrivals {
	if err != nil {
		panic(err)
	}
	return a
}

// A cycle of 100 ms at a mean of 1000/s is 100 frames: 100 gaps of 0.3 ms, and the
// silence after the last.
func TestOnOff(t *testing.T) {
	s := Schedule{PPS: 1000, Arrivals: must(OnOff(1000, 30*time.Millisecond, 70*time.Millisecond))}
	for n, want := range map[uint64]time.Duration{
		0: 0, 50: 15 * time.Millisecond, 99: 29700 * time.Microsecond, 100: 100 * time.Millisecond, 250: 215 * time.Millisecond,
	} {
		if got := s.Span(n); (got - want).Abs() > time.Microsecond {
			t.Errorf("frame %d is due at %v, want %v", n, got, want)
		}
	}
}

func TestGapsAreScaled(t *testing.T) {
	s := Schedule{PPS: 1000, Arrivals: must(Gaps([]time.Duration{10, 0, 30, 0}))} // a mean of 10 ns becomes 1 ms
	for n, want := range []time.Duration{0, 1, 1, 4, 4, 5} {
		if got := s.Span(uint64(n)); got != want*time.Millisecond {
			t.Errorf("frame %d is due at %v, want %d ms", n, got, want)
		}
	}
}

func TestImpossibleArrivals(t *testing.T) {
	for name, err := range map[string]error{
		"no rate":              second(OnOff(0, 1, 1)),
		"never on":             second(OnOff(1000, 0, 1)),
		"a cycle of 1e9":       second(OnOff(1e6, 500*time.Second, 500*time.Second)),
		"no gaps":              second(Gaps(nil)),
		"too many gaps":        second(Gaps(make([]time.Duration, MaxArrivals+1))),
		"packets back in time": second(Gaps([]time.Duration{5, -1})),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func second(_ Arrivals, err error) error { return err }
