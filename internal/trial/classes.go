package trial

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/taps"
	"github.com/upflab/upflab/internal/traffic"
)

// classReading is what the taps have of a class in the direction of a trial. Without
// taps all but the class is nothing.
type classReading struct {
	name           string
	class          uint8
	latency, atDUT *traffic.Histogram
}

// readClasses reads the classes of traffic of a direction; nil: there is one class, or the
// direction is both.
func (dp *Deployment) readClasses(d record.Direction) (list []classReading, err error) {
	all := dp.Scenario.Classes()
	if len(all) < 2 || d == record.Both {
		return nil, nil
	}
	for i, c := range all {
		var now taps.Reading
		if dp.taps != nil {
			if now, err = dp.taps.Class(d, i); err != nil {
				return nil, fmt.Errorf("delays of a class: %w", err)
			}
		}
		list = append(list, classReading{name: dp.Scenario.ClassName(c), class: uint8(i), latency: &now.Latency, atDUT: &now.AtDUT})
	}
	return list, nil
}

// classesBetween are the changes between two readings.
func classesBetween(before, after []classReading) []classReading {
	if len(before) != len(after) {
		return nil
	}
	for i, b := range before {
		a := &after[i]
		a.latency, a.atDUT = delaysBetween(b.latency, a.latency), delaysBetween(b.atDUT, a.atDUT)
	}
	return after
}

// fillClasses writes the classes into a trial of one direction. Their counts are those of
// their sessions.
func (m *measured) fillClasses(t *record.Trial, s *scenario.Scenario) {
	if len(m.classes) == 0 {
		return
	}
	f, turn := m.flow(m.spec.Direction), s.ClassTurn()
	sent, arrived := inAll(f.SentBySession), inAll(f.ReceivedBySession)
	for _, c := range m.classes {
		x := record.Class{Class: c.name, Latency: latency(c.latency), AtDUT: latency(c.atDUT)}
		received := uint64(0)
		for i, n := range f.SentBySession {
			if turn[i%len(turn)] == c.class {
				x.Sessions++
				x.TxPackets += n
				received += at(f.ReceivedBySession, i)
			}
		}
		if x.TxPackets > 0 {
			x.TxPPS = t.TxPPS * float64(x.TxPackets) / float64(sent)
			x.FrameLossRatio = classLoss(float64(x.TxPackets), float64(received), float64(sent), float64(arrived), t.FrameLossRatio)
		}
		t.Classes = append(t.Classes, x)
	}
}

// classLoss is the loss ratio of a class in the windows that count, of which that of all
// classes is known: what was lost there is split among them as what was lost in the whole
// trial. Where nothing was excluded that is exact.
func classLoss(tx, rx, allTx, allRx, counted float64) float64 {
	whole := 1 - min(allRx, allTx)/allTx
	if whole == 0 {
		return 0
	}
	return min(1, (1-min(rx, tx)/tx)*counted/whole)
}

func inAll(list []uint64) (n uint64) {
	for _, x := range list {
		n += x
	}
	return n
}

// at is an element of a list that may be shorter.
func at(list []uint64, i int) uint64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}
