package meters

import (
	"errors"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// OpenDelayProbes times one packet in so many at the DUT's ports until CloseDelayProbes or Close; 0:
// none. An error says why delays at this DUT are not known: it can be measured without.
func (mt *Meters) OpenDelayProbes(every int) (err error) {
	if every == 0 {
		return nil
	}
	l := mt.site.Links()
	if !l.UPFN3.Readable() || !l.UPFN6.Readable() {
		return errors.New("its ports are on another machine")
	}
	if err := mt.engine.ByWindows(mt.Excludes()); err != nil { // a sink that changes its program later takes the probe's place
		return err
	}
	mt.probes, err = delayprobe.Open(delayprobe.Config{N3: l.UPFN3, N6: l.UPFN6, GNB: l.GNB, DN: l.DNN6,
		XDP: mt.endpoint.XDP.Receives() && !mt.endpoint.Polls, Unseen: mt.endpoint.XDP == dut.SendXDP, Every: every})
	return err
}

// CloseDelayProbes takes them away.
func (mt *Meters) CloseDelayProbes() error {
	if mt.probes == nil {
		return nil
	}
	err := mt.probes.Close()
	mt.probes = nil
	return err
}

// takePassages gives the packets that the probes saw go through since the last call; none
// without probes.
func (mt *Meters) takePassages() ([]delayprobe.Passage, error) {
	if mt.probes == nil {
		return nil, nil
	}
	return mt.probes.Take()
}
