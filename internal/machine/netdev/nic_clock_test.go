package netdev

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestClosestReading: the quickest of three readings counts, of a clock that is 37 s ahead of UTC, as
// TAI is.
func TestClosestReading(t *testing.T) {
	at := func(ns int64) unix.PtpClockTime { return unix.PtpClockTime{Sec: ns / 1e9, Nsec: uint32(ns % 1e9)} }
	ahead, errorNS := closestReading([][3]unix.PtpClockTime{
		{at(100e9), at(137e9 + 900), at(100e9 + 1000)},
		{at(101e9), at(138e9 + 60), at(101e9 + 100)}, // 10 ns behind the middle
		{at(102e9), at(139e9), at(102e9 + 5000)},
	})
	if ahead != -37e9-10 || errorNS != 50 {
		t.Errorf("%d ns ahead, within %d; want -37000000010, 50", ahead, errorNS)
	}
}
