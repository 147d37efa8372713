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
		more           map[int]Core
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
		{why: "two CPUs", process: 1500 * ms, core: Core{User: 1000 * ms},
			more: map[int]Core{1: {User: 500 * ms, Idle: 500 * ms}}, threads: 1.5, busy: 0.75},
	} {
		a := Sample{At: time.Unix(100, 0), Process: 5 * time.Second, NAPI: time.Second,
			Cores: map[int]Core{0: {User: time.Hour, Idle: time.Hour, SoftIRQ: time.Hour}}}
		b := Sample{At: time.Unix(101, 0), Process: a.Process + c.process, NAPI: a.NAPI + c.napi,
			CPUs: []int{0, 1}[:1+len(c.more)], Cores: map[int]Core{0: a.Cores[0].add(c.core), 1: sumOf(c.more, []int{1})}}
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

// A hypervisor that takes 15 % of one of 16 CPUs takes 15 % of what runs there.
func TestBetweenSteal(t *testing.T) {
	a := Sample{At: time.Unix(100, 0)}
	b := Sample{At: time.Unix(101, 0), CPUs: []int{3}, Cores: map[int]Core{}}
	for id := range 16 {
		b.Cores[id] = Core{User: 300 * ms, Idle: 700 * ms}
	}
	b.Cores[3] = Core{User: 300 * ms, Idle: 550 * ms, Steal: 150 * ms}
	u := Between(a, b)
	for _, c := range []struct {
		cpus []int
		want float64
	}{{[]int{3}, 0.15}, {[]int{2, 3, 4}, 0.15}, {nil, 0.15}, {[]int{2}, 0}, {[]int{99}, 0}} {
		if got := u.MostStolen(c.cpus...); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("of CPUs %v the host took %g, want %g", c.cpus, got, c.want)
		}
	}
	if u := Between(a, a); u.Cores != 0 || u.Parts != nil {
		t.Errorf("of no time: %+v", u)
	}
}

func TestTake(t *testing.T) {
	s := Subject{PIDs: func() []int { return []int{os.Getpid()} }, CPUs: []int{0}}
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
	if b.Process <= a.Process || len(b.CPUs) != 1 || b.Cores[0].Total() < a.Cores[0].Total() {
		t.Errorf("%+v, then %+v", a, b)
	}
}

// One of four CPUs is full, and so is one of a process's threads, which moves about: means over
// the CPUs hide both.
func TestBusiest(t *testing.T) {
	a := Sample{At: time.Unix(100, 0), CPUs: []int{0, 1, 2, 3}, Threads: map[int]Thread{1: {Ran: time.Hour}, 2: {Ran: time.Hour}}}
	b := Sample{At: time.Unix(101, 0), CPUs: a.CPUs, Cores: map[int]Core{0: {Idle: time.Second}, 1: {SoftIRQ: 980 * ms, Idle: 20 * ms},
		2: {Idle: time.Second}, 3: {Idle: time.Second}, 4: {User: time.Second}},
		Threads: map[int]Thread{1: {Ran: time.Hour + 970*ms}, 2: {Ran: time.Hour}, 3: {Ran: 400 * ms}}}
	u := Between(a, b)
	if got := u.Busiest(b.CPUs...); math.Abs(got-0.98) > 1e-9 || math.Abs(u.CoreBusy-0.245) > 1e-9 {
		t.Errorf("the busiest of four CPUs was %g busy, all %g", got, u.CoreBusy)
	}
	if math.Abs(u.BusiestThread-0.97) > 1e-9 {
		t.Errorf("the busiest thread ran %g of the time", u.BusiestThread)
	}
}
