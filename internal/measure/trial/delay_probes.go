package trial

import (
	"errors"
	"iter"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// OpenDelayProbes times one packet in so many at the DUT's ports until CloseDelayProbes or Close; 0:
// none. An error says why delays at this DUT are not known: it can be measured without.
func (dp *Deployment) OpenDelayProbes(every int) (err error) {
	if every == 0 {
		return nil
	}
	l := dp.site.Links()
	if !l.UPFN3.Readable() || !l.UPFN6.Readable() {
		return errors.New("its ports are on another machine")
	}
	if dp.engine.byWindows != nil {
		if err := dp.engine.byWindows(dp.excludes()); err != nil { // a sink that changes its program later takes the probe's place
			return err
		}
	}
	dp.probes, err = delayprobe.Open(delayprobe.Config{N3: l.UPFN3, N6: l.UPFN6, GNB: l.GNB, DN: l.DNN6,
		XDP: dp.Endpoint.XDP.Receives() && !dp.Endpoint.Polls, Unseen: dp.Endpoint.XDP == dut.SendXDP, Every: every})
	return err
}

// CloseDelayProbes takes them away.
func (dp *Deployment) CloseDelayProbes() error {
	if dp.probes == nil {
		return nil
	}
	err := dp.probes.Close()
	dp.probes = nil
	return err
}

// takePassages gives the packets that the probes saw go through since the last call; none
// without probes.
func (mt *meters) takePassages() ([]delayprobe.Passage, error) {
	if mt.probes == nil {
		return nil, nil
	}
	return mt.probes.Take()
}

// passed are the sampled packets of a direction in the windows that count.
func (m *measured) passed(d record.Direction) iter.Seq[delayprobe.Passage] {
	return func(yield func(delayprobe.Passage) bool) {
		for _, p := range m.passages {
			if p.Direction == d && !m.outcome.Excluded.Holds(p.Due) && !yield(p) {
				return
			}
		}
	}
}

// atDUT are the delays at the DUT in a direction.
func (m *measured) atDUT(d record.Direction) *record.Latency {
	var h traffic.Histogram
	for p := range m.passed(d) {
		h.Add(uint64(p.Took))
	}
	return latency(&h, nil)
}

// fillDelays writes the delays at the DUT into a trial: of both directions into its flows.
func (m *measured) fillDelays(t *record.Trial) {
	if len(m.passages) == 0 {
		return
	}
	if m.spec.Direction != record.Both {
		t.AtDUT = m.atDUT(m.spec.Direction)
		return
	}
	for i := range t.Flows {
		t.Flows[i].AtDUT = m.atDUT(t.Flows[i].Direction)
	}
}
