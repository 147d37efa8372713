package trex

import (
	"fmt"

	"github.com/upflab/upflab/internal/traffic"
)

// reading is all counters that a trial is judged by, at one time.
type reading struct {
	ports  map[int]portStats
	server globalStats
	groups groupStats
}

// read asks for all counters in one message.
func (e *Engine) read(p *plan) (r reading, err error) {
	var ids []uint32
	for flow := range e.flows {
		ids = append(ids, p.groups(flow)...)
	}
	calls := []call{{"get_global_stats", nil}, {"get_pgid_stats", map[string]any{"pgids": ids}}}
	results := []any{&r.server, &r.groups}
	var order []int
	stats := make([]portStats, len(e.server.ports))
	for id := range e.server.ports {
		calls = append(calls, call{"get_port_stats", map[string]any{"port_id": id}})
		results = append(results, &stats[len(order)])
		order = append(order, id)
	}
	if err := e.server.rpc.all(calls, results); err != nil {
		return r, err
	}
	r.ports = map[int]portStats{}
	for i, id := range order {
		r.ports[id] = stats[i]
	}
	return r, nil
}

// outcome is what the trial came to by the counters at its end.
func (t *trialRun) outcome(after reading) (o traffic.Outcome, err error) {
	if o.Flows, err = t.flows(after); err != nil {
		return o, err
	}
	for _, f := range o.Flows {
		o.Sent += f.Sent
	}
	o.Intended = o.Sent
	if !t.schedule.Max() {
		o.Intended = t.schedule.Slots(t.schedule.Duration)
	}
	o.SendSeconds, o.BusyRatio = t.seconds, t.busy.value()
	o.Doubts = t.doubts(&o, after)
	return o, nil
}

// flows are what became of each flow's packets since the trial began.
func (t *trialRun) flows(now reading) ([]traffic.FlowOutcome, error) {
	list := make([]traffic.FlowOutcome, len(t.engine.flows))
	for flow := range t.engine.flows {
		if t.plan.ofFlow(flow) == 0 {
			continue
		}
		if err := t.flow(flow, now, &list[flow]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// fcs is the length of a frame's check sequence, octets, which TRex's ports count and upflab
// does not.
const fcs = 4

// flow is what became of one. Where all its packets are of latency streams these are
// counted, and everything else that arrived is foreign; else the ports' counters are what
// there is, and what is foreign is not known.
func (t *trialRun) flow(flow int, now reading, o *traffic.FlowOutcome) error {
	from, to := t.engine.sender(flow), t.engine.arrival(flow)
	sent, arrived := now.ports[from].since(t.before.ports[from]), now.ports[to].since(t.before.ports[to])
	measured, err := t.measured(flow, now, o)
	if err != nil {
		return err
	}
	o.Sent, o.Received, o.ReceivedBytes = sent.Sent, arrived.Received, less(arrived.ReceivedBytes, fcs*arrived.Received)
	if t.plan.whole {
		o.Sent, o.Received = measured.sent, measured.received
		o.Foreign = less(arrived.Received, measured.received)
		if o.Foreign > 0 {
			o.ReceivedBytes = uint64(float64(measured.received) * t.frameBytes(flow, (*traffic.Flow).RxFrameBytes))
		}
	}
	o.SentBytes = uint64(float64(o.Sent) * t.frameBytes(flow, (*traffic.Flow).FrameBytes))
	o.ReceiveSeconds = t.seconds
	return nil
}

// measured is what was counted of a flow's latency streams.
type measured struct{ sent, received uint64 }

// measured adds up a flow's latency streams, and fills in what they alone show.
func (t *trialRun) measured(flow int, now reading, o *traffic.FlowOutcome) (m measured, err error) {
	var jitter float64
	for _, id := range t.plan.groups(flow) {
		g, err := now.groups.of(id)
		if err != nil {
			return m, err
		}
		received := at(g.flow.Received, t.engine.arrival(flow))
		m.sent += at(g.flow.Sent, t.engine.sender(flow))
		m.received += received
		o.Duplicates += g.latency.Errors.Duplicate
		o.Reordered += g.latency.Errors.Reordered
		jitter = max(jitter, bounded(g.latency.Delay.Jitter))
		h, err := g.latency.delays(received)
		if err != nil {
			return m, err
		}
		o.Latency.Merge(&h)
	}
	o.JitterNS = jitter
	return m, nil
}

// frameBytes is the mean length of a flow's frames, octets.
func (t *trialRun) frameBytes(flow int, length func(*traffic.Flow, traffic.Stream, int) int) float64 {
	f := t.engine.flows[flow]
	return t.schedule.Sequence.Mean(uint8(flow), func(shape int) int { return length(f, f.Streams[0], shape) })
}

// doubts are what TRex itself met in the trial.
func (t *trialRun) doubts(o *traffic.Outcome, after reading) (list []string) {
	if n := less(after.server.QueueFull, t.before.server.QueueFull); n > 0 {
		list = append(list, fmt.Sprintf("TRex found its transmit queue full %d times: it was slower than its schedule then", n))
	}
	if n := less(after.server.QueueDrop, t.before.server.QueueDrop); n > 0 {
		list = append(list, fmt.Sprintf("TRex dropped %d packets before they were sent, since its transmit queue was full", n))
	}
	if n := less(after.server.NoBuffer, t.before.server.NoBuffer); n > 0 {
		list = append(list, fmt.Sprintf("TRex had no buffer for %d packets", n))
	}
	for flow := range o.Flows {
		if f := &o.Flows[flow]; f.Received > 0 && f.Latency.Count == 0 && !t.plan.whole {
			list = append(list, "TRex took no delays: start its server with --software, so that it finds its "+
				"marks in packets whose headers a UPF has changed")
		}
	}
	return list
}

// Differences are what figures taken by TRex are not, compared with those of upflab's own
// engines, each in a sentence.
func (s *Server) Differences(latencyPPS float64) []string {
	list := []string{
		"Received packets are the port's counter: headers are not checked, and frames of others count, too.",
		fmt.Sprintf("Delays are those of %.4g packets/s (trex.latency_pps) in streams of their own, from the "+
			"actual send time, also where this report says the intended one; loads up to that rate are counted packet by packet.", latencyPPS),
		"Delays are upper ends of TRex's buckets (10 us below 100 us, 100 us below 1 ms ...; 1 us where its " +
			"server was started with --hdrh), so that a quantile is up to a bucket too high, and so is the mean; " +
			"in the bucket of the longest delay, of which TRex leaves out the first packets, it may be too low.",
		"Jitter is TRex's last estimate, not its mean; duplicates and reordered packets are those of the latency " +
			"streams; runs of losses, delay variation (IPDV) and how late packets left are not measured.",
		"UDP checksums are 0, inner and outer: TRex writes into the payload and does not correct them.",
		"Streams of several sizes or directions are sent side by side, each at its rate, not in the order of a sequence.",
		"Nothing is known of disturbances of TRex's machine: everything counts. Its CPU is that of TRex's own account.",
	}
	if !s.Facts.Software {
		list = append(list, "TRex's NICs filter what its receiving core sees, by IP headers: with a UPF between, "+
			"start its server with --software for delays.")
	}
	return list
}
