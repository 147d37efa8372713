package traffic

import "slices"

// watch turns counting by windows on or off. nil: this trial is not counted so, since it need
// not be, no source can, or a sink cannot.
func (g *Group) watch(s Schedule) (*verdicts, error) {
	v := &verdicts{schedule: s, ending: make(chan struct{})}
	can, err := v.turn(g, s.Excluded != nil && !s.Burst)
	if err != nil || !can {
		return nil, err
	}
	return v, nil
}

// ByWindows turns counting by windows on or off for the trials to come, which else the
// next one does: where that changes the program at a port, nobody may stand before it then.
func (g *Group) ByWindows(on bool) error {
	s := Schedule{}
	if on {
		s.Excluded = func(uint64, uint64) bool { return false }
	}
	_, err := g.watch(s)
	return err
}

// turn turns counting by windows on in all parts, or off: also where no source can, or a sink cannot.
func (v *verdicts) turn(g *Group, on bool) (bool, error) {
	v.sources, v.parts = nil, nil
	for _, source := range g.Sources {
		can, err := source.Windows(on)
		if err != nil {
			return false, err
		}
		if can {
			v.sources, v.parts = append(v.sources, source), append(v.parts, source)
		}
	}
	if on && len(v.sources) == 0 {
		return v.turn(g, false)
	}
	for _, sink := range g.sinks() {
		can, err := sink.Windows(on)
		if err != nil {
			return false, err
		}
		if on && !can {
			return v.turn(g, false)
		}
		v.parts = append(v.parts, sink)
	}
	return on, nil
}

// counted is what a trial came to in the windows that were kept, with all of what does not count by
// windows, and in the others.
func (g *Group) counted(v *verdicts, flows int) (kept, excluded Outcome, err error) {
	kept.Reset(flows)
	excluded.Reset(flows)
	for _, source := range g.Sources {
		if !slices.Contains(v.sources, source) {
			part, err := source.Outcome()
			if err != nil {
				return kept, excluded, err
			}
			kept.Merge(&part)
			continue
		}
		part, rest := source.Counted()
		kept.Merge(&part)
		excluded.Merge(&rest)
	}
	for flow, sink := range g.Sinks {
		if sink != nil {
			part, rest := sink.Counted()
			kept.Flows[flow].Merge(&part)
			excluded.Flows[flow].Merge(&rest)
		}
	}
	return kept, excluded, nil
}

// void reports whether too little of the trial was undisturbed to exclude the rest, and
// notes in the outcome how much was disturbed.
func (v *verdicts) void(o *Outcome) bool {
	if v.excluded == 0 || v.all-v.ns >= uint64(v.schedule.Least) {
		return false
	}
	o.Excluded = Excluded{Void: true, Windows: v.excluded, Of: v.windows, Seconds: float64(v.ns) / 1e9}
	return true
}

// keep reduces an outcome of the whole trial to what was kept of it.
func (v *verdicts) keep(o, kept, excluded *Outcome) {
	o.Excluded = Excluded{
		Windows: v.excluded, Of: v.windows, Seconds: float64(v.ns) / 1e9,
		Intended: o.Intended - kept.Intended, Sent: o.Sent - kept.Sent, Skipped: o.Skipped - kept.Skipped,
		LateSlots: o.LateSlots - kept.LateSlots, Stalls: o.Stalls - kept.Stalls,
		Spans: v.out, Tallies: excluded.Tallies,
	}
	o.Intended, o.Sent, o.Skipped, o.LateSlots, o.Stalls = kept.Intended, kept.Sent, kept.Skipped, kept.LateSlots, kept.Stalls
	o.SendSeconds = v.less(o.Sending.First, o.SendSeconds)
	o.measure(kept)
	for i := range o.Flows {
		f, k := &o.Flows[i], &kept.Flows[i]
		o.Excluded.Received = append(o.Excluded.Received, f.Received-k.Received)
		o.Excluded.Latency = append(o.Excluded.Latency, excluded.Flows[i].Latency)
		o.Excluded.FlowTallies = append(o.Excluded.FlowTallies, excluded.Flows[i].Tallies)
		f.ReceiveSeconds = v.less(f.Receiving.First, f.ReceiveSeconds)
		if k.queue.packets > 0 { // what waited when sending ended may have come to wait in windows that do not count
			f.ReceiveSeconds = min(f.ReceiveSeconds, o.SendSeconds+k.queue.total())
		}
		f.keep(k)
	}
}

func (f *FlowOutcome) keep(kept *FlowOutcome) {
	f.Sent, f.SentBytes, f.Received, f.ReceivedBytes = kept.Sent, kept.SentBytes, kept.Received, kept.ReceivedBytes
	f.Marked = kept.Marked
}

// measure takes the distributions from what was counted by windows: sources and sinks
// may have no others then.
func (o *Outcome) measure(counted *Outcome) {
	o.Lateness, o.Tallies = counted.Lateness, counted.Tallies
	for i := range o.Flows {
		f, c := &o.Flows[i], &counted.Flows[i]
		f.Latency, f.Blocks, f.Tallies, f.Actual, f.IPDV = c.Latency, c.Blocks, c.Tallies, c.Actual, c.IPDV
		f.Jitter, f.JitterNS = c.Jitter, c.JitterNS
	}
}
