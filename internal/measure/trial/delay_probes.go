package trial

import (
	"errors"
	"iter"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// openDelayProbes times one packet in so many at the DUT's ports until closeDelayProbes or Close; 0:
// none. An error says why delays at this DUT are not known: it can be measured without.
func (mt *meters) openDelayProbes(every int) (err error) {
	if every == 0 {
		return nil
	}
	l := mt.site.Links()
	if !l.UPFN3.Readable() || !l.UPFN6.Readable() {
		return errors.New("its ports are on another machine")
	}
	if err := mt.engine.ByWindows(mt.excludes()); err != nil { // a sink that changes its program later takes the probe's place
		return err
	}
	mt.probes, err = delayprobe.Open(delayprobe.Config{N3: l.UPFN3, N6: l.UPFN6, GNB: l.GNB, DN: l.DNN6,
		XDP: mt.endpoint.XDP.Receives() && !mt.endpoint.Polls, Unseen: mt.endpoint.XDP == dut.SendXDP, Every: every})
	return err
}

// closeDelayProbes takes them away.
func (mt *meters) closeDelayProbes() error {
	if mt.probes == nil {
		return nil
	}
	err := mt.probes.Close()
	mt.probes = nil
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
