package traffic

import "github.com/upflab/upflab/internal/traffic/window"

// AddWindow adds the values of a window.
func (h *Histogram) AddWindow(v *window.Values) {
	if v.Empty() {
		return
	}
	least, most, sum := v.Extremes()
	if h.Count == 0 || least < h.Min {
		h.Min = least
	}
	h.Max = max(h.Max, most)
	h.Sum += sum
	h.Count += v.AddTo(&h.Counts)
}

// AddWindow adds what a source counted in a window, but for the flows.
func (o *Outcome) AddWindow(w *window.Sent) {
	o.Intended += w.Packets + w.Skipped
	o.Sent += w.Packets
	o.Skipped += w.Skipped
	o.LateSlots += w.Late
	o.Stalls += w.Stalls
	o.Lateness.AddWindow(&w.Lateness)
}

// AddFlows adds what a source counted of each flow in a window.
func (o *Outcome) AddFlows(w *window.Sent) {
	for i := range o.Flows {
		o.Flows[i].Sent += w.Flows[i].Packets
		o.Flows[i].SentBytes += w.Flows[i].Bytes
	}
}

// Reset forgets everything; there are so many flows.
func (o *Outcome) Reset(flows int) { *o = Outcome{Flows: make([]FlowOutcome, flows)} }

// AddWindow adds what a sink counted in a window.
func (f *FlowOutcome) AddWindow(id uint64, w *window.Received) {
	f.AddLate(w)
	f.Blocks.add(id, &w.Latency)
}

// AddLate adds what a sink counted of packets that came after their windows were folded.
func (f *FlowOutcome) AddLate(w *window.Received) {
	f.Received += w.Packets
	f.ReceivedBytes += w.Bytes
	f.Jitter.merge(Jitter{w.JitterSum, w.JitterCount})
	f.JitterNS = f.Jitter.Nanoseconds()
	f.Latency.AddWindow(&w.Latency)
	f.Actual.AddWindow(&w.Actual)
	f.IPDV.AddWindow(&w.IPDV)
}
