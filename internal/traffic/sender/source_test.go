package sender

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic"
)

// nowhere takes all frames.
type nowhere struct{}

func (nowhere) Send(frames []tpacket.Parts) (int, error) { return len(frames), nil }
func (nowhere) Drain() error                             { return nil }
func (nowhere) Close() error                             { return nil }

// TestSessionsAfterTheWarmup: the trial begins with the session after those of the warm-up's
// slots, however many of these were sent.
func TestSessionsAfterTheWarmup(t *testing.T) {
	s := New(0, traffic.Share{}, NewClock())
	shape := traffic.Shape{Payload: 100, SourcePort: 1, DestinationPort: 2}
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		s.Add(testFlow(d, shape), "nowhere", nowhere{})
	}
	q := traffic.Sequence{{Flow: 0}, {Flow: 1}, {Flow: 0}} // 40 sessions each
	if err := s.Prepare(traffic.Schedule{PPS: 1000, Warmup: 100 * time.Millisecond, Sequence: q}, 2); err != nil {
		t.Fatal(err)
	}
	s.generator.outputs[0].next = 5 // it was cut off
	s.align()
	if up, down := s.generator.outputs[0].next, s.generator.outputs[1].next; up != 67%40 || down != 33 {
		t.Errorf("the next sessions are %d and %d, want 27 and 33", up, down)
	}
	if err := s.Prepare(traffic.Schedule{Warmup: 100 * time.Millisecond, Sequence: q}, 4); err != nil { // unpaced: no slots
		t.Fatal(err)
	}
	s.generator.outputs[0].next = 5
	if s.align(); s.generator.outputs[0].next != 5 {
		t.Error("an unpaced trial has a first session")
	}
}

// down is a port that is down.
type down struct{ nowhere }

func (down) Send([]tpacket.Parts) (int, error) { return 0, unix.ENETDOWN }

// TestPortThatIsDown: what is sent while the port is down is lost on the link, and the trial goes on.
func TestPortThatIsDown(t *testing.T) {
	s := New(0, traffic.Share{}, NewClock())
	s.Add(testFlow(record.Uplink, traffic.Shape{Payload: 100, SourcePort: 1, DestinationPort: 2}), "n3", down{})
	if err := s.Prepare(traffic.Schedule{PPS: 1000, Duration: 10 * time.Millisecond, Sequence: traffic.Sequence{{Flow: 0}}}, 1); err != nil {
		t.Fatal(err)
	}
	o := s.generator.outputs[0]
	o.frames, o.sizes[0], o.sizes[1] = make([]tpacket.Parts, 2), 100, 100
	if err := o.flush(false, func() bool { return true }); err != nil {
		t.Errorf("%v", err)
	}
}
