package traffic

import "github.com/upflab/upflab/internal/traffic/window"

// growth is by how much a queue grew in the windows that were kept: what was due in them took that much longer to arrive
// than to send. It is the change of the mean delay over each run of windows that follow each other. The zero value is
// that of no windows.
type growth struct {
	seconds     float64 // of the runs that have ended
	first, last struct {
		id    uint64
		delay float64 // s, the mean of the window
	}
	packets uint64
}

// add adds a window, of which earlier ones were added before.
func (g *growth) add(id uint64, w *window.Received) {
	if w.Packets == 0 || w.Latency.Empty() {
		return
	}
	_, _, sum := w.Latency.Extremes()
	delay := float64(sum) / float64(w.Packets) / 1e9
	if g.packets == 0 || id != g.last.id+1 {
		g.seconds = g.total()
		g.first.id, g.first.delay = id, delay
	}
	g.last.id, g.last.delay = id, delay
	g.packets += w.Packets
}

// total is that of all runs, s. A run is half a window longer at each end than from the middle of its first window to that
// of its last.
func (g *growth) total() float64 {
	n := float64(g.last.id - g.first.id)
	if n == 0 {
		return g.seconds
	}
	return g.seconds + (g.last.delay-g.first.delay)*(n+1)/n
}

// merge takes the one that rests on more packets: parts of a flow wait in one queue, or in queues alike.
func (g *growth) merge(other growth) {
	if other.packets > g.packets {
		*g = other
	}
}
