package campaign

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/replay"
	"github.com/upflab/upflab/internal/trial"
)

// sizeReplayed is the size of trials that replay a capture.
const sizeReplayed = "replay"

// record reads the capture that is to be replayed, if one is, and says in the notes
// what of it is not sent as it was.
func (p *Plan) record(r *record.Result) (err error) {
	s := p.Scenario
	if s.Arrivals != scenario.Replay {
		return nil
	}
	if p.recording, err = replay.Read(s.PCAP, s.MTU-scenario.Overhead); err != nil {
		return err
	}
	r.Notes = append(r.Notes, p.recording.Notes...)
	for _, l := range s.Loads {
		if l.Recorded && p.recording.PPS == 0 {
			return fmt.Errorf("capture %s: all its packets have the same time, so that it has no rate of its own: give a load instead of recorded", s.PCAP)
		}
	}
	return nil
}

// paced gives a load of the capture's own rate a number.
func (p *Plan) paced(t trial.Spec) trial.Spec {
	if t.Load.Recorded && p.recording != nil {
		t.Load.PPS = p.recording.PPS
	}
	return t
}
