package afpacket

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/traffic/receive"
)

// offset is a distance of the two clocks; the looks are at ms after the beginning.
const offset = int64(1_700_000_000_000_000_000)

func at(ms int64) int64 { return 1e9 + ms*1e6 }

func TestArrivalWithoutAStep(t *testing.T) {
	var w wall
	w.look(at(0), at(0)+offset)
	w.look(at(5), at(5)+offset+150) // a reading is so exact
	if got := w.arrival(at(3) + offset); got != uint64(at(3)-150) || w.set != 0 {
		t.Errorf("arrived at %d, want %d; the clock was set at %d", got, at(3)-150, w.set)
	}
}

func TestArrivalWhenTheClockIsSet(t *testing.T) {
	const hour, half = int64(time.Hour), int64(time.Second / 2)
	for _, c := range []struct {
		story string
		step  int64 // of the realtime clock, at 100 ms
		stamp int64 // CLOCK_REALTIME in the frame
		want  uint64
	}{
		{"an hour ahead, received before", hour, at(99) + offset, uint64(at(99))},
		{"an hour ahead, received after", hour, at(102) + offset + hour, uint64(at(102))},
		{"half a second back, received before", -half, at(99) + offset, uint64(at(99))},
		{"half a second back, received after", -half, at(102) + offset - half, uint64(at(102))},
		{"a millisecond ahead, received 3 ms before: both are possible", 1e6, at(97) + offset, receive.Unknown},
		{"50 ms back, received after: both are possible", -50e6, at(102) + offset - 50e6, receive.Unknown},
	} {
		var w wall
		w.look(at(95), at(95)+offset)
		w.look(at(105), at(105)+offset+c.step)
		if got := w.arrival(c.stamp); got != c.want || w.set != at(105) {
			t.Errorf("%s: arrived at %d, want %d; the clock was set at %d", c.story, got, c.want, w.set)
		}
	}
}

func TestArrivalLongAfterAStep(t *testing.T) {
	var w wall
	w.look(at(95), at(95)+offset)
	w.look(at(105), at(105)+offset+1e6)
	w.look(at(500), at(500)+offset+1e6)
	if got, want := w.arrival(at(499)+offset+1e6), uint64(at(499)); got != want {
		t.Errorf("arrived at %d, want %d", got, want)
	}
}
