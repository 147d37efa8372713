package search

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// tail is a device of a given rate behind a queue, fed by bursts at a given rate.
type tail struct {
	queue             uint64
	service, arriving float64 // packets/s
	slow              bool    // the generator
	trials            int
}

// burst loses what does not fit: the queue grows by arriving - service.
func (q *tail) burst(_ context.Context, packets uint64) (Outcome, error) {
	q.trials++
	fits := float64(q.queue) / (1 - q.service/q.arriving)
	o := Outcome{Sent: packets, Seconds: float64(packets) / q.arriving, Valid: true}
	if over := float64(packets) - fits; over > 0 {
		o.Lost = uint64(math.Ceil(over * (1 - q.service/q.arriving)))
	}
	if q.slow {
		o.Seconds *= 1.2
	}
	return o, nil
}

func bursts(q *tail) BackToBack {
	return BackToBack{
		MinPackets: 1, MaxPackets: 1_000_000, StepPackets: 1, Searches: 3,
		TheoreticalPPS: q.arriving, ThroughputPPS: q.service,
	}
}

// The queue that was put in is found, within a packet.
func TestBackToBackFindsTheQueue(t *testing.T) {
	for _, q := range []*tail{
		{queue: 64, service: 80e3, arriving: 1e6},
		{queue: 256, service: 900e3, arriving: 1e6},
		{queue: 500, service: 295e3, arriving: 800e3},
		{queue: 1, service: 10, arriving: 14.88e6},
	} {
		r, err := bursts(q).Run(t.Context(), q.burst)
		if err != nil || !r.Valid() {
			t.Fatalf("%+v: %v, %+v", q, err, r.Reasons)
		}
		if math.Abs(r.BufferPackets-float64(q.queue)) > 1 {
			t.Errorf("%+v: %v packets", q, r.BufferPackets)
		}
		if r.Min != r.Max || r.StdDev != 0 || len(r.Longest) != 3 || r.Average != float64(r.Min) {
			t.Errorf("%+v: %+v", q, r)
		}
	}
}

// By hand: 26700 frames on average at 14880952 frames/s last 1.794 ms; a device
// that forwards half of them meanwhile holds the other half.
func TestBufferTime(t *testing.T) {
	implied, corrected := BufferTime(26700, 7440476, 14880952)
	if implied.Round(time.Microsecond) != 1794*time.Microsecond || corrected.Round(time.Microsecond) != 897*time.Microsecond {
		t.Errorf("%v, %v", implied, corrected)
	}
}

func TestBackToBackStatistics(t *testing.T) {
	r := BurstReport{Longest: []uint64{2, 4, 4, 4, 5, 5, 7, 9}, settings: BackToBack{TheoreticalPPS: 1000, ThroughputPPS: 500}}
	r.finish()
	if r.Average != 5 || r.Min != 2 || r.Max != 9 || math.Abs(r.StdDev-math.Sqrt(32.0/7)) > 1e-12 {
		t.Errorf("%+v", r)
	}
}

func TestBackToBackInBadCases(t *testing.T) {
	for _, c := range []struct {
		name string
		tail tail
		want record.SearchReason
	}{
		{"larger than any burst", tail{queue: 2_000_000, service: 10, arriving: 1e6}, record.ReasonNoUpperBound},
		{"no queue at all", tail{queue: 0, service: 10, arriving: 1e6}, record.ReasonNoLowerBound},
		{"a slow generator", tail{queue: 500, service: 10, arriving: 1e6, slow: true}, record.ReasonNotBackToBack},
	} {
		r, err := bursts(&c.tail).Run(t.Context(), c.tail.burst)
		if err != nil || r.Valid() || r.Reasons[0].Code != c.want || r.Average != 0 || r.BufferPackets != 0 {
			t.Errorf("%s: %v, %+v", c.name, err, r)
		}
	}
}

// A burst that the generator stretched, for something had its core, is repeated.
func TestStretchedBurstsAreRepeated(t *testing.T) {
	q := &tail{queue: 100, service: 80e3, arriving: 1e6}
	n := 0
	r, err := bursts(q).Run(t.Context(), func(ctx context.Context, packets uint64) (Outcome, error) {
		o, err := q.burst(ctx, packets)
		if n++; packets >= timedBurst && n%3 == 0 {
			o.Seconds, o.Lost = 10*o.Seconds, 0
		}
		return o, err
	})
	if err != nil || !r.Valid() || math.Abs(r.BufferPackets-100) > 1 {
		t.Errorf("%v, %v packets, %+v", err, r.BufferPackets, r.Reasons)
	}
}

func TestBackToBackFails(t *testing.T) {
	q := &tail{queue: 100, service: 10, arriving: 1e6}
	r, err := bursts(q).Run(t.Context(), func(ctx context.Context, n uint64) (Outcome, error) {
		if q.trials == 30 {
			return Outcome{}, errDied
		}
		return q.burst(ctx, n)
	})
	if !errors.Is(err, errDied) || r.Valid() || r.Average != 0 {
		t.Errorf("%v, %+v", err, r)
	}
	for _, b := range []BackToBack{
		{},
		{MinPackets: 1, MaxPackets: 10, StepPackets: 1, Searches: 1, TheoreticalPPS: 10, ThroughputPPS: 10},
		{MinPackets: 1, MaxPackets: 10, StepPackets: 1, TheoreticalPPS: 10, ThroughputPPS: 5},
		{MinPackets: 10, MaxPackets: 1, StepPackets: 1, Searches: 1, TheoreticalPPS: 10, ThroughputPPS: 5},
	} {
		if _, err := b.Run(t.Context(), q.burst); !errors.Is(err, ErrSettings) {
			t.Errorf("%+v: %v", b, err)
		}
	}
}
