package telemetry

import (
	"math"
	"os"
	"testing"
	"time"
)

// Over one second, on one CPU unless it says otherwise.
func TestBetween(t *testing.T) {
	for _, c := range []struct {
		why            string
		process, napi  time.Duration
		core           Core
		threads, napis float64 // cores
		softirq, busy  float64
	}{
		{why: "idle", core: Core{Idle: 1000 * ms}},
		{why: "threads alone", process: 600 * ms, core: Core{User: 500 * ms, System: 100 * ms, Idle: 400 * ms},
			threads: 0.6, busy: 0.6},
		{why: "softirq on a CPU that sleeps otherwise: an XDP program", core: Core{SoftIRQ: 500 * ms, Idle: 500 * ms},
			softirq: 0.5, busy: 0.5},
		{why: "interrupts count with it", core: Core{SoftIRQ: 300 * ms, IRQ: 100 * ms, Idle: 600 * ms},
			softirq: 0.4, busy: 0.4},
		{why: "a NAPI thread whose time /proc/stat calls softirq", napi: 800 * ms, core: Core{SoftIRQ: 800 * ms, Idle: 200 * ms},
			napis: 0.8, busy: 0.8},
		{why: "a NAPI thread whose time it calls system", napi: 800 * ms, core: Core{System: 800 * ms, Idle: 200 * ms},
			napis: 0.8, busy: 0.8},
		{why: "threads' time that holds the softirqs on top of them", process: 1000 * ms, core: Core{User: 700 * ms, SoftIRQ: 300 * ms},
			threads: 1, busy: 1},
		{why: "threads' time that does not", process: 700 * ms, core: Core{User: 700 * ms, SoftIRQ: 300 * ms},
			threads: 0.7, softirq: 0.3, busy: 1},
		{why: "somebody else on the CPU", process: 200 * ms, core: Core{User: 900 * ms, SoftIRQ: 100 * ms},
			threads: 0.2, softirq: 0.1, busy: 1},
		{why: "ticks that are coarser than threads' time", process: 507 * ms, core: Core{User: 480 * ms, SoftIRQ: 20 * ms, Idle: 500 * ms},
			threads: 0.507, busy: 0.5},
		{why: "stolen time is not idle", core: Core{Idle: 750 * ms, Steal: 250 * ms}, busy: 0.25},
		{why: "two CPUs", process: 1500 * ms, core: Core{User: 1500 * ms, Idle: 500 * ms}, threads: 1.5, busy: 0.75},
	} {
		a := Sample{At: time.Unix(100, 0), Process: 5 * time.Second, NAPI: time.Second, Core: Core{User: time.Hour, Idle: time.Hour, SoftIRQ: time.Hour}}
		b := Sample{At: time.Unix(101, 0), Process: a.Process + c.process, NAPI: a.NAPI + c.napi, Core: a.Core.add(c.core)}
		u := Between(a, b)
		for i, want := range []float64{c.threads, c.napis, c.softirq} {
			if got := u.Parts[i].Cores; math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %s %g cores, want %g", c.why, u.Parts[i].Name, got, want)
			}
		}
		if want := c.threads + c.napis + c.softirq; math.Abs(u.Cores-want) > 1e-9 {
			t.Errorf("%s: %g cores in all, want %g", c.why, u.Cores, want)
		}
		if math.Abs(u.CoreBusy-c.busy) > 1e-9 {
			t.Errorf("%s: busy %g, want %g", c.why, u.CoreBusy, c.busy)
		}
	}
}

func TestBetweenSteal(t *testing.T) {
	a := Sample{At: time.Unix(100, 0)}
	b := Sample{At: time.Unix(101, 0), Host: Core{User: 300 * ms, Idle: 1600 * ms, Steal: 100 * ms}}
	if got := Between(a, b).StealRatio; math.Abs(got-0.05) > 1e-9 {
		t.Errorf("the host lost %g, want 0.05", got)
	}
	if u := Between(a, a); u.Cores != 0 || u.Parts != nil {
		t.Errorf("of no time: %+v", u)
	}
}

func TestTake(t *testing.T) {
	s := Subject{PIDs: []int{os.Getpid()}, CPUs: []int{0}}
	a, err := Take(s)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(50 * ms); time.Now().Before(end); {
	}
	b, err := Take(s)
	if err != nil {
		t.Fatal(err)
	}
	if b.Process <= a.Process || b.CPUs != 1 || b.Host.Total() < b.Core.Total() {
		t.Errorf("%+v, then %+v", a, b)
	}
}
