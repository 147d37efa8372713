package trial

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/telemetry"
)

func TestMomentBetweenReadings(t *testing.T) {
	start := time.Now()
	at := func(s float64, ran time.Duration, got uint64) instant {
		return instant{sample: telemetry.Sample{At: start.Add(time.Duration(s * float64(time.Second))), Process: ran}, got: got, memory: 5}
	}
	m := momentBetween(start, at(-0.4, 0, 700), at(-0.2, 100*time.Millisecond, 900))
	if m.T != -0.2 || m.RxPPS < 999 || m.RxPPS > 1001 || m.DUTCores < 0.49 || m.DUTCores > 0.51 || m.MemoryBytes != 5 || m.Watts != 0 {
		t.Errorf("before the traffic: %+v", m)
	}
	if m := momentBetween(start, at(0, 0, 5000), at(0.5, 0, 50)); m.RxPPS != 100 {
		t.Errorf("received begins at 0 with a trial: %+v", m)
	}
	if m := momentBetween(start, at(1, 0, 1), at(1, 0, 2)); m.RxPPS != 0 {
		t.Errorf("no time has passed: %+v", m)
	}
}
