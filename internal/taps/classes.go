package taps

import (
	"fmt"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/wire/histogram"
)

// MaxClasses is how many classes of traffic there may be.
const MaxClasses = 16

// maxTurn is after how many sessions the classes come again at the latest.
const maxTurn = 256

// Reading is what was seen so far of a class in a direction. Minimum and maximum are not
// known.
type Reading struct {
	In      uint64            // sampled packets that came in
	AtDUT   traffic.Histogram // ns between the ports
	Latency traffic.Histogram // ns from when a packet was due until it went out; of several classes
}

// Class reads what was seen so far of a class.
func (t *Taps) Class(d record.Direction, class int) (Reading, error) {
	var x tapsDelays
	if err := t.shared[tapsMapDelays].Lookup(indexOf(d)*uint32(t.classes())+uint32(class), &x); err != nil {
		return Reading{}, fmt.Errorf("read the taps: %w", err)
	}
	return Reading{In: x.In, AtDUT: counted(x.Counts, x.Sum), Latency: counted(x.SinceDue, x.SinceDueSum)}, nil
}

func counted(counts [histogram.Buckets]uint64, sum uint64) traffic.Histogram {
	h := traffic.Histogram{Counts: counts, Sum: sum}
	for _, n := range counts {
		h.Count += n
	}
	return h
}

// classes is how many there are.
func (t *Taps) classes() int {
	most := 0
	for _, c := range t.turn {
		most = max(most, int(c))
	}
	return most + 1
}

// setClasses tells the programs which session is of which class.
func (t *Taps) setClasses(spec *ebpf.CollectionSpec) error {
	n := t.classes()
	spec.Maps[tapsMapDelays].MaxEntries = uint32(2 * n) // directions
	if n == 1 {
		return nil
	}
	var turn [maxTurn]uint8
	copy(turn[:], t.turn)
	for name, value := range map[string]any{tapsVarClasses: uint32(n), tapsVarTurn: uint32(len(t.turn)), tapsVarClassOf: turn} {
		if err := spec.Variables[name].Set(value); err != nil {
			return fmt.Errorf("set the taps' %s: %w", name, err)
		}
	}
	return nil
}
