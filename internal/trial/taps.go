package trial

import (
	"errors"
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/taps"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/wire/histogram"
)

// OpenTaps times one packet in so many at the DUT's ports until CloseTaps or Close; 0:
// none. An error says why delays at this DUT are not known: it can be measured without.
func (dp *Deployment) OpenTaps(every int) (err error) {
	if every == 0 {
		return nil
	}
	l := dp.site.Links()
	if !l.UPFN3.Readable() || !l.UPFN6.Readable() {
		return errors.New("its ports are on another machine")
	}
	if e, ok := dp.engine.(interface{ ByWindows(on bool) error }); ok {
		if err := e.ByWindows(dp.excludes()); err != nil { // a sink that changes its program later takes the tap's place
			return err
		}
	}
	dp.taps, err = taps.Open(taps.Config{N3: l.UPFN3, N6: l.UPFN6, GNB: l.GNB, DN: l.DNN6,
		XDP: dp.Endpoint.XDP() && !dp.Endpoint.Polls, Every: every, Classes: dp.Scenario.ClassTurn()})
	return err
}

// CloseTaps takes them away.
func (dp *Deployment) CloseTaps() error {
	if dp.taps == nil {
		return nil
	}
	err := dp.taps.Close()
	dp.taps = nil
	return err
}

// tapped are readings of the taps, by direction; empty: there are no taps.
type tapped map[record.Direction]*traffic.Histogram

// readTaps reads them for the directions of a trial.
func (dp *Deployment) readTaps(d record.Direction) (tapped, error) {
	if dp.taps == nil {
		return nil, nil
	}
	now := tapped{}
	for _, way := range d.Each() {
		h, _, err := dp.taps.Delays(way)
		if err != nil {
			return nil, fmt.Errorf("delays at the DUT: %w", err)
		}
		now[way] = h
	}
	return now, nil
}

// since is what came to each direction after an earlier reading.
func (now tapped) since(before tapped) tapped {
	d := tapped{}
	for way, h := range now {
		if b := before[way]; b != nil {
			d[way] = delaysBetween(b, h)
		}
	}
	return d
}

func delaysBetween(a, b *traffic.Histogram) *traffic.Histogram {
	d := b.Since(a)
	d.Sum = b.Sum - a.Sum
	for i, n := range d.Counts {
		if n > 0 {
			d.Min = histogram.Lower(i)
			break
		}
	}
	return d
}

// fillTaps writes the delays at the DUT into a trial: of both directions into its flows.
func (m *measured) fillTaps(t *record.Trial) {
	if len(m.atDUT) == 0 {
		return
	}
	if m.spec.Direction != record.Both {
		t.AtDUT = latency(m.atDUT[m.spec.Direction])
		return
	}
	for i := range t.Flows {
		t.Flows[i].AtDUT = latency(m.atDUT[t.Flows[i].Direction])
	}
}
