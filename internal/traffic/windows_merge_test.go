package traffic

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/traffic/window"
)

// counter counts by windows as a source or a receive queue does.
type counter struct {
	sent           *window.Ring[window.Sent, *window.Sent]
	received       *window.Ring[window.Received, *window.Received]
	kept, excluded Outcome
}

func newCounter() *counter {
	c := &counter{sent: window.New[window.Sent](), received: window.New[window.Received]()}
	c.kept.Reset(1)
	c.excluded.Reset(1)
	return c
}

// count books a packet that was sent late by so much and took so long.
func (c *counter) count(due, late, latency uint64) {
	s, r := c.sent.At(due), c.received.At(due)
	s.Packets++
	s.Flows[0].Packets++
	s.Flows[0].Bytes += 100
	s.Lateness.Add(late)
	r.Packets++
	r.Bytes += 100
	r.Latency.Add(latency)
	r.Actual.Add(latency - min(late, latency))
	r.JitterSum += late
	r.JitterCount++
}

func (c *counter) fold(id uint64, keep bool) {
	into := &c.kept
	if !keep {
		into = &c.excluded
	}
	c.sent.Fold(id, keep, func(w *window.Sent) { into.AddWindow(0, w); into.AddFlows(0, w) })
	c.received.Fold(id, keep, func(w *window.Received) { into.Flows[0].AddWindow(id, w) })
}

// TestWindowsOfSeveralMakeTheWhole: what several sources and receive queues count by
// windows is, merged, what one would have that had seen everything, of windows that are
// kept and of the others.
func TestWindowsOfSeveralMakeTheWhole(t *testing.T) {
	const begin, windows = uint64(1) << 50, 300
	r := rand.New(rand.NewPCG(5, 6))
	one, parts := newCounter(), []*counter{newCounter(), newCounter(), newCounter()}
	for range 20_000 {
		due, late := begin+r.Uint64N(windows<<window.Bits), r.Uint64N(1<<r.IntN(24))
		latency := late + r.Uint64N(1<<r.IntN(30))
		one.count(due, late, latency)
		parts[r.IntN(len(parts))].count(due, late, latency)
	}
	for id := window.ID(begin); id < window.ID(begin)+windows; id++ {
		keep := r.IntN(3) > 0
		one.fold(id, keep)
		for _, p := range parts {
			p.fold(id, keep)
		}
	}
	var kept, excluded Outcome
	for _, p := range parts {
		kept.Merge(&p.kept)
		excluded.Merge(&p.excluded)
	}
	for i, c := range []struct{ got, want Outcome }{{kept, one.kept}, {excluded, one.excluded}} {
		if !reflect.DeepEqual(c.got.Lateness, c.want.Lateness) || c.got.Sent != c.want.Sent || c.got.Sent == 0 ||
			!reflect.DeepEqual(c.got.Flows[0].Latency, c.want.Flows[0].Latency) ||
			!reflect.DeepEqual(c.got.Flows[0].Actual, c.want.Flows[0].Actual) ||
			c.got.Flows[0].Jitter != c.want.Flows[0].Jitter || c.got.Flows[0].Received != c.want.Flows[0].Received ||
			c.got.Flows[0].SentBytes != c.want.Flows[0].SentBytes {
			t.Errorf("%d: %d sent and %d received, want %d and %d", i, c.got.Sent, c.got.Flows[0].Received, c.want.Sent, c.want.Flows[0].Received)
		}
	}
}
