package hosts

import "github.com/upflab/upflab/internal/traffic"

// Share is what a host did in a trial.
type Share struct {
	Host           *Host
	Sent, Received uint64
	Busy           float64 // of its busiest CPU that sends
	// StartNS is by how much its first packet was late, ns; it sent none: 0.
	StartNS uint64
}

// Shares are those of the last trial, which came to an outcome.
func (e *Engine) Shares(o *traffic.Outcome) (list []Share) {
	byWindows := o.Excluded.Of > 0 && !o.Excluded.Void
	for _, h := range e.session.Hosts() {
		share := Share{Host: h}
		for _, s := range e.sources {
			if s.host != h {
				continue
			}
			share.Busy = max(share.Busy, s.whole.BusyRatio)
			share.StartNS = max(share.StartNS, s.late())
			if byWindows {
				share.Sent += s.kept.Sent
			} else {
				share.Sent += s.whole.Sent
			}
		}
		for _, k := range e.sinks {
			if k.host != h {
				continue
			}
			if byWindows {
				share.Received += k.kept.Received
			} else {
				share.Received += k.whole.Received
			}
		}
		list = append(list, share)
	}
	return list
}

// ClockErrorNS is by how much a one-way delay between generators and sink may be wrong, ns:
// hosts that have one clock are exact.
func (s *Session) ClockErrorNS() (worst uint64) {
	sink := s.Sink.Offset()
	for _, g := range s.Generators {
		o := g.Offset()
		if g.Facts.Clock.Kernel == s.Sink.Facts.Clock.Kernel && o.By == sink.By && g.Facts.Clock.Kernel != "" {
			continue // one clock
		}
		worst = max(worst, o.ErrorNS+sink.ErrorNS)
	}
	return worst
}
