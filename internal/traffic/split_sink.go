package traffic

import "errors"

// SplitSink is the sink of a flow whose sessions arrive at several sinks: downlink packets at
// several gNBs. What these report is merged.
type SplitSink struct {
	Parts []Sink
	// Owner is at which of them a session arrives.
	Owner func(session int) int
}

var _ Sink = (*SplitSink)(nil)

// each does something at all parts.
func (p *SplitSink) each(do func(Sink) error) error {
	var errs []error
	for _, s := range p.Parts {
		errs = append(errs, do(s))
	}
	return errors.Join(errs...)
}

// Begin implements Sink: it has every part forget the last trial and count this one.
func (p *SplitSink) Begin(trial uint16) error {
	return p.each(func(s Sink) error { return s.Begin(trial) })
}

// Received implements Sink: it adds up what has arrived at all parts so far.
func (p *SplitSink) Received() (n uint64) {
	for _, s := range p.Parts {
		n += s.Received()
	}
	return n
}

// AddLatency implements Sink: it adds the latencies of all parts to the counts of h.
func (p *SplitSink) AddLatency(h *Histogram) error {
	return p.each(func(s Sink) error { return s.AddLatency(h) })
}

// Outcome implements Sink: it ends the trial and puts the outcomes of the parts together. Each part is
// given what was sent of its own sessions.
func (p *SplitSink) Outcome(sent []uint64) (o FlowOutcome, err error) {
	own := make([][]uint64, len(p.Parts))
	for i := range own {
		own[i] = make([]uint64, len(sent))
	}
	for session, n := range sent {
		own[p.Owner(session)][session] = n
	}
	for i, s := range p.Parts {
		part, err := s.Outcome(own[i])
		if err != nil {
			return o, err
		}
		o.Merge(&part)
	}
	return o, nil
}

// Windows implements Windowed: it switches counting by windows on or off in every part.
func (p *SplitSink) Windows(on bool) (bool, error) {
	all := true
	err := p.each(func(s Sink) error {
		can, err := s.Windows(on)
		all = all && can
		return err
	})
	return all && err == nil, err
}

// Complete implements Windowed: it reports whether every part has counted what was due in the window.
func (p *SplitSink) Complete(id uint64) bool {
	for _, s := range p.Parts {
		if !s.Complete(id) {
			return false
		}
	}
	return true
}

// Fold implements Windowed: it ends the window in every part.
func (p *SplitSink) Fold(id uint64, keep bool) {
	for _, s := range p.Parts {
		s.Fold(id, keep)
	}
}

// Counted implements Sink: it adds up what the parts counted in the windows that were kept and
// in the others.
func (p *SplitSink) Counted() (kept, excluded FlowOutcome) {
	for _, s := range p.Parts {
		k, x := s.Counted()
		kept.Merge(&k)
		excluded.Merge(&x)
	}
	return kept, excluded
}

// Close implements Sink: it closes every part.
func (p *SplitSink) Close() error { return p.each(Sink.Close) }
