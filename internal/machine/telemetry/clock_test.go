package telemetry

import (
	"testing"
	"time"
)

func TestClocksBetween(t *testing.T) {
	a := Clocks{Realtime: 1e18, Boottime: time.Hour}
	for _, c := range []struct {
		why  string
		b    Clocks
		want ClockChange
	}{
		{"nothing", a, ClockChange{}},
		{"readings differ by some us", Clocks{a.Realtime + 40*time.Microsecond, a.Boottime - 3*time.Microsecond}, ClockChange{}},
		{"set forward by a second", Clocks{a.Realtime + time.Second, a.Boottime}, ClockChange{Step: time.Second}},
		{"set back by two milliseconds", Clocks{a.Realtime - 2*ms, a.Boottime}, ClockChange{Step: -2 * ms}},
		{"asleep for a minute", Clocks{a.Realtime + time.Minute, a.Boottime + time.Minute}, ClockChange{Suspended: time.Minute}},
		{"asleep, and set when it woke", Clocks{a.Realtime + time.Minute - 5*time.Second, a.Boottime + time.Minute},
			ClockChange{Step: -5 * time.Second, Suspended: time.Minute}},
	} {
		if got := ClocksBetween(a, c.b); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
		}
	}
}

func TestReadClocks(t *testing.T) {
	a, err := ReadClocks()
	if err != nil {
		t.Fatal(err)
	}
	if up := time.Since(time.Unix(0, int64(a.Realtime))); up < 0 {
		t.Errorf("the monotonic clock began %v in the future", -up)
	}
	b, err := ReadClocks()
	if err != nil {
		t.Fatal(err)
	}
	if c := ClocksBetween(a, b); c != (ClockChange{}) {
		t.Errorf("at once: %+v", c)
	}
}
