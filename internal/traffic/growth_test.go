package traffic

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/traffic/window"
)

// TestGrowth: 8000 packets/s arrive at a server of 5000 with room for so many. What was due in the windows that count took
// as long to arrive as the server needs for it, whichever they are.
func TestGrowth(t *testing.T) {
	const offered, rate, windowS = 8000.0, 5000.0, float64(1<<window.Bits) / 1e9
	for _, c := range []struct {
		name string
		room float64 // packets
		kept func(id uint64) bool
	}{
		{"all", 64, func(uint64) bool { return true }},
		{"without the begin, in which the queue fills", 64, func(id uint64) bool { return id >= 40 }},
		{"without what lies between", 64, func(id uint64) bool { return id < 10 || id > 60 }},
		{"a queue without an end", math.Inf(1), func(id uint64) bool { return id%10 < 7 }},
	} {
		var g growth
		received, sent := 0.0, 0.0
		waiting, due := 0.0, 0.0 // packets before the server, and when the next one is due
		for id := uint64(0); id < 400; id++ {
			var w window.Received
			for ; due < float64(id+1)*windowS; due += 1 / offered {
				waiting = max(0, waiting-rate/offered)
				if waiting+1 > c.room {
					continue // lost
				}
				waiting++
				w.Packets++
				w.Latency.Add(uint64(waiting / rate * 1e9))
			}
			if c.kept(id) {
				g.add(id, &w)
				received += float64(w.Packets)
				sent += windowS
			}
		}
		if got := received / (sent + g.total()); math.Abs(got/rate-1) > 0.006 {
			t.Errorf("%s: %.0f packets/s of a server of %.0f", c.name, got, rate)
		}
	}
}
