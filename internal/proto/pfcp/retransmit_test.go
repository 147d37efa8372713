package pfcp

import (
	"testing"
	"time"
)

func TestPending(t *testing.T) {
	by := Retransmission{T1: time.Second, Tries: 3}
	begin := time.Unix(1_800_000_000, 0)
	var p Pending
	for _, c := range []struct {
		after time.Duration
		want  Step
	}{
		{0, Send},
		{0, Wait},
		{999 * time.Millisecond, Wait},
		{time.Second, Send},
		{1999 * time.Millisecond, Wait},
		{2500 * time.Millisecond, Send}, // late
		{3 * time.Second, Wait},
		{3500 * time.Millisecond, GiveUp},
		{time.Hour, GiveUp},
	} {
		if got := p.Next(begin.Add(c.after), by); got != c.want {
			t.Fatalf("after %v: step %d, want %d", c.after, got, c.want)
		}
	}
	if p.Sent != 3 {
		t.Errorf("sent %d times, want 3", p.Sent)
	}
}

func TestSequenceWraps(t *testing.T) {
	var s Sequence
	s.Start(MaxSequence)
	for _, want := range []uint32{MaxSequence, 0, 1} {
		if got := s.Next(); got != want {
			t.Errorf("sequence number %d, want %d", got, want)
		}
	}
}
