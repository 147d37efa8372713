package traffic

import "github.com/upflab/upflab/internal/traffic/window"

// Take adds the values of a window to the histogram and leaves the window empty.
func (h *Histogram) Take(v *window.Values) {
	if v.Empty() {
		return
	}
	least, most, sum := v.Extremes()
	if h.Count == 0 || least < h.Min {
		h.Min = least
	}
	h.Max = max(h.Max, most)
	h.Sum += sum
	v.Take(func(bucket int, n uint32) {
		h.Counts[bucket] += uint64(n)
		h.Count += uint64(n)
	})
}

// Take adds what a source counted in a window, but for the flows.
func (o *Outcome) Take(w *window.Sent) {
	o.Intended += w.Packets + w.Skipped
	o.Sent += w.Packets
	o.Skipped += w.Skipped
	o.LateSlots += w.Late
	o.Stalls += w.Stalls
	o.Lateness.Take(&w.Lateness)
}

// Take adds what a sink counted in a window.
func (f *FlowOutcome) Take(w *window.Received) {
	f.Received += w.Packets
	f.ReceivedBytes += w.Bytes
	f.Jitter.merge(Jitter{w.JitterSum, w.JitterCount})
	f.JitterNS = f.Jitter.Nanoseconds()
	f.Latency.Take(&w.Latency)
	f.Actual.Take(&w.Actual)
	f.IPDV.Take(&w.IPDV)
}
