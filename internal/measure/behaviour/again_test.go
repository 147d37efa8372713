package behaviour

import (
	"testing"
	"time"
)

// TestChangedBefore: what fails long after a change is not late.
func TestChangedBefore(t *testing.T) {
	now := time.Now()
	sent := []Sent{{at: now.Add(10 * time.Millisecond)}, {at: now.Add(settled + time.Millisecond)}}
	for _, c := range []struct {
		changed time.Time
		failed  []int
		want    bool
	}{{now, []int{0}, true}, {now, []int{1}, false}, {now, []int{0, 1}, false}, {time.Time{}, []int{0}, false}} {
		if got := (&traffic{control: &control{changed: c.changed}}).changedBefore(sent, c.failed); got != c.want {
			t.Errorf("%v: %v, want %v", c.failed, got, c.want)
		}
	}
}
