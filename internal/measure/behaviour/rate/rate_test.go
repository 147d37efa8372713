package rate

import (
	"math/rand/v2"
	"testing"
	"time"
)

// meter says of each packet whether it passes.
type meter interface{ pass(at time.Duration) bool }

// bucket is a token bucket.
type bucket struct {
	rate, depth, level float64 // octets/s, octets
	last               time.Duration
}

func (b *bucket) pass(at time.Duration) bool {
	b.level = min(b.depth, b.level+b.rate*(at-b.last).Seconds())
	b.last = at
	if b.level < rateBytes {
		return false
	}
	b.level -= rateBytes
	return true
}

// counter lets as much pass in each window as the rate has in it.
type counter struct {
	rate       float64
	window     time.Duration
	phase      time.Duration
	current    int64
	octets     float64
	beginnings bool
}

func (c *counter) pass(at time.Duration) bool {
	if n := int64((at + c.phase) / c.window); n != c.current || !c.beginnings {
		c.current, c.octets, c.beginnings = n, 0, true
	}
	if c.octets+rateBytes > c.rate*c.window.Seconds() {
		return false
	}
	c.octets += rateBytes
	return true
}

// simulate sends 10 Mbit/s into a meter, with pauses in some.
func simulate(r *rand.Rand, m meter, pauses bool) (sent []metered) {
	const gap = 800 * time.Microsecond
	var steady, at time.Duration
	for paused := false; steady < rateFirst+rateSpan && at < rateFor; {
		sent = append(sent, metered{at: at, paused: paused, arrived: m.pass(at)})
		at, paused, steady = at+gap+time.Duration(r.Int64N(int64(100*time.Microsecond)))-50*time.Microsecond, false, steady+gap
		if pauses && r.IntN(200) == 0 { // some six a second
			at, paused = at+4*time.Millisecond+time.Duration(r.ExpFloat64()*float64(10*time.Millisecond)), true
		}
	}
	return sent
}

// TestPassed: meters of 4 Mbit/s are measured to 2 %, whatever burst they allow and however the
// sender pauses; one of 12 % more is told from them.
func TestPassed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 400 {
		const bytes = 4e6 / 8
		factor := []float64{1, 1.12}[r.IntN(2)]
		depth := []float64{1500, 10_000, 60_000, 250_000}[r.IntN(4)]
		b := &bucket{rate: bytes * factor, depth: depth, level: depth}
		kbits, over := passed(simulate(r, b, r.IntN(2) == 0))
		if over < rateLeast {
			t.Fatalf("a burst of %.0f octets: %v of it counts", depth, over)
		}
		off := kbits/(4000*factor) - 1
		if worst = max(worst, off, -off); off > 0.02 || off < -0.02 {
			t.Errorf("a rate of %.0f kbit/s with a burst of %.0f octets is taken for %.0f", 4000*factor, depth, kbits)
		}
		if right := rated(kbits, 10_000, 4000) == nil; right != (factor == 1) {
			t.Errorf("%.0f kbit/s in place of 4000: right is %v", kbits, right)
		}
	}
	for _, window := range []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		for range 50 {
			c := &counter{rate: 4e6 / 8, window: window, phase: time.Duration(r.Int64N(int64(window)))}
			if kbits, _ := passed(simulate(r, c, false)); rated(kbits, 10_000, 4000) != nil {
				t.Errorf("what counts in windows of %v is taken for %.0f kbit/s", window, kbits)
			}
		}
	}
	t.Logf("token buckets: at most %.2f %% off", 100*worst)
}

// TestPassedWhole: without a limit all of it passes, and an accident is no meter.
func TestPassedWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	sent := simulate(r, &bucket{rate: 1e9, depth: 1e9, level: 1e9}, false)
	sent[100].arrived, sent[2000].arrived = false, false
	if kbits, over := passed(sent); kbits < 9900 || kbits > 10_100 || over < rateSpan {
		t.Errorf("%.0f kbit/s over %v", kbits, over)
	}
}
