package trial

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestEnergyOfTheWholeTrial: 50 W for 2 s, in which 1000 and, in windows that do not count,
// 100 packets of 10 000 bits arrived, are 100 J for 11 Mbit.
func TestEnergyOfTheWholeTrial(t *testing.T) {
	one := record.Trial{
		Traffic:   record.Traffic{RxPackets: 1000, RxPPS: 1000 / 1.5, RxL2bps: 1000 / 1.5 * 10_000},
		DurationS: 1.5, Excluded: &record.Excluded{Seconds: 0.5, RxPackets: 100},
	}
	if got, want := perGbit(50, &one), 100/0.011; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%.0f J/Gbit, want %.0f", got, want)
	}
	if got := perGbit(50, &record.Trial{}); got != 0 {
		t.Errorf("%v J/Gbit where nothing arrived", got)
	}
}
