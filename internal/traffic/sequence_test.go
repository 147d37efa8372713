package traffic

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestSequence(t *testing.T) {
	mixed := Sequence{{0, 0}, {1, 0}, {0, 1}}
	for n, want := range []Slot{{0, 0}, {1, 0}, {0, 1}, {0, 0}} {
		if got := mixed.At(uint64(n)); got != want {
			t.Errorf("slot %d sends %v, want %v", n, got, want)
		}
	}
	if _, single := mixed.Single(); single {
		t.Error("a mixture is called single")
	}
	for _, q := range []Sequence{Only(1, 3), {{1, 3}, {1, 3}}} {
		if got, single := q.Single(); !single || got != (Slot{1, 3}) {
			t.Errorf("%v: single %v, %v", q, single, got)
		}
		if q.Uses(0) || !q.Uses(1) {
			t.Errorf("%v: uses flow 0: %v, flow 1: %v", q, q.Uses(0), q.Uses(1))
		}
	}
	if got, single := Sequence(nil).Single(); !single || got != (Slot{}) || !Sequence(nil).Uses(0) || Sequence(nil).Uses(1) {
		t.Error("an empty sequence is not flow 0, shape 0")
	}
}

// IMIX by frames on N6: seven of 64, four of 570 and one of 1518 octets with FCS.
func TestMeanOfSequence(t *testing.T) {
	f := studyFlow(record.Downlink, 1400)
	f.Shapes = []Shape{{Payload: 64 - 46}, {Payload: 570 - 46}, {Payload: 1518 - 46}}
	length := func(shape int) int { return f.FrameBytes(f.Streams[0], shape) }
	var q Sequence
	for shape, n := range []int{7, 4, 1} {
		for range n {
			q = append(q, Slot{0, uint16(shape)})
		}
	}
	q = append(q, Slot{1, 0}) // of another flow: does not count
	if got, want := q.Mean(0, length), float64(7*60+4*566+1514)/12; got != want {
		t.Errorf("the mean frame has %g octets, want %g", got, want)
	}
	if got := q.Mean(2, length); got != 0 {
		t.Errorf("the mean of a flow that is not there is %g", got)
	}
}

func TestSequenceCheck(t *testing.T) {
	flows := []*Flow{{Shapes: make([]Shape, 2)}, {Shapes: make([]Shape, 1)}}
	for _, c := range []struct {
		why string
		q   Sequence
		ok  bool
	}{
		{"nothing said", nil, true},
		{"all there is", Sequence{{0, 0}, {0, 1}, {1, 0}}, true},
		{"the longest", make(Sequence, MaxSequence), true},
		{"too long", make(Sequence, MaxSequence+1), false},
		{"no such flow", Only(2, 0), false},
		{"no such shape", Sequence{{0, 0}, {1, 1}}, false},
	} {
		if err := c.q.Check(flows); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}
