package media

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/apps/oneway"
)

// first are the bursts of a time.
func first(all func(func(oneway.Burst) bool), end time.Duration) (list []oneway.Burst) {
	for b := range all {
		if b.Due >= end {
			return list
		}
		list = append(list, b)
	}
	return list
}

// TestVideo: the means and bounds of TR 38.838, written here by its numbers.
func TestVideo(t *testing.T) {
	xr, _ := Named("xr")
	list := first(xr.Downlink(1, 30e6), 10*time.Minute)
	if n := len(list); n < 35990 || n > 36000 {
		t.Errorf("%d frames in ten minutes, want 36000", n)
	}
	sum, squares := 0.0, 0.0
	for i, b := range list {
		sum, squares = sum+float64(b.Octets), squares+float64(b.Octets)*float64(b.Octets)
		if b.Octets < 31250 || b.Octets > 93750 {
			t.Errorf("frame %d has %d octets", i, b.Octets)
		}
		if off := (b.Due - list[0].Due).Seconds() - float64(i)/60; math.Abs(off) > 0.0080001 { // the first has jitter, too
			t.Errorf("frame %d is %.4f s off", i, off)
		}
	}
	mean := sum / float64(len(list))
	spread := math.Sqrt(squares/float64(len(list)) - mean*mean)
	if math.Abs(mean-62500) > 200 || math.Abs(spread-6562) > 150 {
		t.Errorf("mean %.0f, spread %.0f octets", mean, spread)
	}
	up := first(xr.Uplink(1, 0), time.Second)
	if len(up) != 250 || up[0].Octets != 100 {
		t.Errorf("%d poses of %d octets in a second", len(up), up[0].Octets)
	}
}

// TestCall: 50 frames a second in a talk spurt, 6.25 in a pause, and who talks 38.7 % of the time (P.59).
func TestCall(t *testing.T) {
	voice, _ := Named("voice")
	const long = 3 * time.Hour
	list := first(voice.Uplink(7, 0), long)
	speech := 0
	for i, b := range list {
		if b.Octets == 45 {
			speech++
		}
		if i > 0 {
			if gap := b.Due - list[i-1].Due; gap != 20*time.Millisecond && gap != 160*time.Millisecond {
				t.Fatalf("frame %d comes %v after the one before", i, gap)
			}
		}
	}
	// Each spurt and each pause is rounded up to whole frames.
	if share := float64(speech) * 0.02 / long.Seconds(); math.Abs(share-0.38) > 0.02 {
		t.Errorf("somebody talks %.3f of the time", share)
	}
	if !slices.Equal(list[:100], first(voice.Uplink(7, 0), long)[:100]) || slices.Equal(list[:100], first(voice.Downlink(7, 0), long)[:100]) {
		t.Error("a seed does not give its own call, or both sides say the same")
	}
}
