package telemetry

import (
	"math"
	"testing"
	"time"
)

// Over one second of one CPU.
func TestExactSoftIRQ(t *testing.T) {
	for _, c := range []struct {
		why     string
		process time.Duration
		soft    SoftIRQ
		core    Core
		want    float64
	}{
		{"ticks do not count", 0, SoftIRQ{}, Core{SoftIRQ: 600 * ms, Idle: 400 * ms}, 0},
		{"on an idle CPU", 0, SoftIRQ{Outside: 200 * ms}, Core{Idle: time.Second}, 0.2},
		{"on top of threads whose time holds it", 500 * ms, SoftIRQ{Inside: 100 * ms}, Core{User: 500 * ms, Idle: 500 * ms}, 0},
		{"on top of threads whose time does not", 400 * ms, SoftIRQ{Inside: 100 * ms},
			Core{User: 400 * ms, SoftIRQ: 100 * ms, Idle: 500 * ms}, 0.1},
		{"both", 400 * ms, SoftIRQ{Inside: 100 * ms, Outside: 50 * ms}, Core{User: 400 * ms, SoftIRQ: 150 * ms, Idle: 450 * ms}, 0.15},
		{"no more than the CPU has left", 900 * ms, SoftIRQ{Outside: 300 * ms}, Core{User: 900 * ms, SoftIRQ: 100 * ms}, 0.1},
	} {
		a := Sample{At: time.Unix(100, 0), CPUs: []int{7}, SoftIRQ: &SoftIRQ{}}
		b := Sample{At: time.Unix(101, 0), CPUs: []int{7}, SoftIRQ: &c.soft, Process: c.process, Cores: map[int]Core{7: c.core}}
		if got := Between(a, b).Parts[2].Cores; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g cores, want %g", c.why, got, c.want)
		}
	}
}

// A pause between the readings of a sample moves time from one interval to the next:
// never more than there is.
func TestNoMoreThanTheCPUs(t *testing.T) {
	a := Sample{At: time.Unix(100, 0), CPUs: []int{0, 1}, NAPIs: 1}
	b := Sample{At: a.At.Add(time.Millisecond), CPUs: []int{0, 1}, NAPIs: 1, Process: 100 * ms, NAPI: 50 * ms,
		Cores: map[int]Core{1: {SoftIRQ: 300 * ms}}}
	u := Between(a, b)
	if u.Parts[0].Cores != 2 || u.Parts[1].Cores != 1 || u.Parts[2].Cores != 0 {
		t.Errorf("of two CPUs and a thread: %+v", u.Parts)
	}
}
