package traffic

import (
	"slices"
	"testing"
)

// partSink is a sink that receives all that is sent of its sessions, and has complete windows
// up to one.
type partSink struct {
	Sink
	given    []uint64
	complete uint64
	folded   []uint64
}

func (p *partSink) Outcome(sent []uint64) (o FlowOutcome, err error) {
	p.given, o.ReceivedBySession = sent, sent
	for _, n := range sent {
		o.Received += n
	}
	return o, nil
}

func (p *partSink) Complete(id uint64) bool { return id <= p.complete }
func (p *partSink) Fold(id uint64, _ bool)  { p.folded = append(p.folded, id) }

// TestSplitSink: each part hears of its own sessions alone, and what all report adds up.
func TestSplitSink(t *testing.T) {
	a, b := &partSink{complete: 5}, &partSink{complete: 7}
	p := &SplitSink{Parts: []Sink{a, b}, Owner: func(session int) int { return session % 3 / 2 }}
	sent := []uint64{10, 20, 30, 40, 50}
	o, err := p.Outcome(sent)
	if err != nil || o.Received != 150 || !slices.Equal(o.ReceivedBySession, sent) {
		t.Errorf("%+v, %v", o, err)
	}
	if !slices.Equal(a.given, []uint64{10, 20, 0, 40, 50}) || !slices.Equal(b.given, []uint64{0, 0, 30, 0, 0}) {
		t.Errorf("the parts were told %v and %v", a.given, b.given)
	}
	if p.Complete(6) || !p.Complete(5) {
		t.Error("a window is complete where it is at all parts")
	}
	p.Fold(3, true)
	if !slices.Equal(a.folded, []uint64{3}) || !slices.Equal(b.folded, []uint64{3}) {
		t.Error("a window is folded at all parts")
	}
}
