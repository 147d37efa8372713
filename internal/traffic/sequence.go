package traffic

import "fmt"

// MaxSequence is how many slots a sequence has at most.
const MaxSequence = 1 << 16

// Slot says what is sent when it is due: a packet of a flow, by its index in the
// engine, and of a shape of that flow. Within a flow the sessions take turns.
type Slot struct {
	Flow  uint8
	Shape uint16
}

// Sequence is what the slots of a schedule send: slot n, counted from the first of
// the trial, is entry n modulo its length. Empty: always flow 0, shape 0. The
// warm-up begins at its first entry, too.
type Sequence []Slot

// Only is the sequence of one flow and one shape.
func Only(flow uint8, shape uint16) Sequence { return Sequence{{flow, shape}} }

// At is what slot n sends.
func (q Sequence) At(n uint64) Slot {
	if len(q) == 0 {
		return Slot{}
	}
	return q[n%uint64(len(q))]
}

// Single reports whether all slots are alike, and gives them.
func (q Sequence) Single() (Slot, bool) {
	for _, s := range q {
		if s != q[0] {
			return Slot{}, false
		}
	}
	return q.At(0), true
}

// Uses reports whether a slot sends a packet of a flow.
func (q Sequence) Uses(flow uint8) bool {
	for _, s := range q {
		if s.Flow == flow {
			return true
		}
	}
	return len(q) == 0 && flow == 0
}

// Count is how many of the first n slots send a packet of a flow.
func (q Sequence) Count(flow uint8, n uint64) (packets uint64) {
	if len(q) == 0 {
		q = Only(0, 0)
	}
	rest := n % uint64(len(q))
	for i, s := range q {
		if s.Flow != flow {
			continue
		}
		packets += n / uint64(len(q))
		if uint64(i) < rest {
			packets++
		}
	}
	return packets
}

// Mean is the mean over the packets of a flow of what bytes gives for a shape; 0
// when the sequence has none of the flow.
func (q Sequence) Mean(flow uint8, bytes func(shape int) int) float64 {
	if len(q) == 0 {
		q = Only(0, 0)
	}
	var n, sum float64
	for _, s := range q {
		if s.Flow == flow {
			n++
			sum += float64(bytes(int(s.Shape)))
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// Check reports a sequence that flows cannot send.
func (q Sequence) Check(flows []*Flow) error {
	if len(q) > MaxSequence {
		return fmt.Errorf("a sequence of %d slots: at most %d can be sent", len(q), MaxSequence)
	}
	if len(q) == 0 {
		q = Only(0, 0)
	}
	for n, s := range q {
		if int(s.Flow) >= len(flows) || int(s.Shape) >= len(flows[s.Flow].Shapes) {
			return fmt.Errorf("slot %d of the sequence asks for shape %d of flow %d, which is not there", n, s.Shape, s.Flow)
		}
	}
	return nil
}
