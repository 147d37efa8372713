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

// AddWindow adds what a source counted in a window, but for the flows; 0: of late packets, which
// are of several.
func (o *Outcome) AddWindow(id uint64, w *window.Sent) {
	o.Tallies.add(id, sentIn(w))
	o.Intended += w.Packets + w.Skipped
	o.Sent += w.Packets
	o.Skipped += w.Skipped
	o.LateSlots += w.Late
	o.Stalls += w.Stalls
	o.Lateness.AddWindow(&w.Lateness)
}

// AddFlows adds what a source counted of each flow in a window, as AddWindow does.
func (o *Outcome) AddFlows(id uint64, w *window.Sent) {
	for i := range o.Flows {
		o.Flows[i].AddSent(id, w.Flows[i].Packets, w.Flows[i].Bytes)
	}
}

// AddSent adds what a source sent of a flow in a window; 0: late.
func (f *FlowOutcome) AddSent(id, packets, bytes uint64) {
	f.Sent += packets
	f.SentBytes += bytes
	f.Tallies.add(id, Tally{Sent: packets, SentBytes: bytes})
}

// Reset forgets everything; there are so many flows.
func (o *Outcome) Reset(flows int) { *o = Outcome{Flows: make([]FlowOutcome, flows)} }

// AddWindow adds what a sink counted in a window.
func (f *FlowOutcome) AddWindow(id uint64, w *window.Received) {
	f.AddLate(w)
	f.Tallies.add(id, receivedIn(w))
	f.Blocks.add(id, &w.Latency)
	f.queue.add(id, w)
}

// AddLate adds what a sink counted of packets that came after their windows were folded.
func (f *FlowOutcome) AddLate(w *window.Received) {
	f.Received += w.Packets
	f.ReceivedBytes += w.Bytes
	f.Marked += w.Marked
	f.Jitter.merge(Jitter{w.JitterSum, w.JitterCount})
	f.JitterNS = f.Jitter.Nanoseconds()
	f.Latency.AddWindow(&w.Latency)
	f.Actual.AddWindow(&w.Actual)
	f.IPDV.AddWindow(&w.IPDV)
}
