package kit

import (
	"context"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestAwait waits while the CPUs are apart, as long as the run has patience, and no longer.
func TestAwait(t *testing.T) {
	n := coreLatency{left: 3 * glance}
	n.saw(80)
	answers := []float64{400, 390, 85}
	n.await(t.Context(), func() float64 {
		defer func() { answers = answers[1:] }()
		return answers[0]
	})
	if len(answers) != 0 || n.left != glance || n.leastNS != 80 {
		t.Errorf("%d answers left, patience %v, least %v", len(answers), n.left, n.leastNS)
	}
	far := 400.0
	apart := &record.Trial{Evidence: &record.Evidence{LineNS: &far}}
	if !n.lost(apart) || n.lost(&record.Trial{}) {
		t.Error("a trial with the CPUs apart is to be repeated, one of which that is not known is not")
	}
	n.await(context.Background(), func() float64 { return far })
	if n.left > 0 || n.lost(apart) {
		t.Errorf("patience %v is left", n.left)
	}
	n = coreLatency{left: patience}
	n.await(context.Background(), func() float64 { return 0 })
	if n.left != patience {
		t.Error("waited where nothing is known")
	}
}

// A UPF on CPU 1 and a generator on CPU 0, in trials of 2 s of which 0.5 s are excluded.
func TestOwnStalls(t *testing.T) {
	made := func(causes ...record.Disturbance) *record.Trial {
		return &record.Trial{DurationS: 1.5, Excluded: &record.Excluded{Windows: 500, Of: 2000, Seconds: 0.5, Causes: causes}}
	}
	cause := func(cause, who string, cpu int, n uint64, s float64) record.Disturbance {
		return record.Disturbance{Cause: cause, Who: who, CPU: cpu, Count: n, Seconds: s, Longest: s / float64(n)}
	}
	quiet := made(cause("paused", "", 1, 3, 0.001))
	paused, workers := cause("paused", "", 1, 100, 0.05), cause("others", "kworker/1:2", 1, 50, 0.05)
	for _, c := range []struct {
		why  string
		wire *record.Trial
		upf  *record.Trial
		want string // part of the reason; "": they are not the UPF's
	}{
		{"interrupts off, in the UPF's trials alone", quiet, made(paused),
			"2.5 % of the time of the UPF's CPUs, 0.05 % with wire and 0 % on the generator's"},
		{"kernel workers, in the UPF's trials alone", quiet, made(workers), "2.5 %"},
		{"both together", quiet, made(cause("paused", "", 1, 5, 0.002), cause("others", "kworker/u8:1", 1, 9, 0.003)), "0.25 %"},
		{"the host pauses the CPU as much with wire", made(cause("paused", "", 1, 90, 0.04)), made(paused), ""},
		{"the host pauses the generator's CPU as much", quiet, made(paused, cause("paused", "", 0, 90, 0.04)), ""},
		{"another program had the CPU", quiet, made(cause("others", "cc1", 1, 100, 0.4)), ""},
		{"it does not matter", quiet, made(cause("paused", "", 1, 10, 0.003)), ""},
		{"one long pause", quiet, made(cause("paused", "", 1, 1, 0.5)), ""},
		{"wire was not measured", nil, made(paused), ""},
		{"so little was undisturbed that everything counts", quiet, &record.Trial{DurationS: 2,
			Excluded: &record.Excluded{Void: true, Windows: 1900, Of: 2000, Seconds: 1.9, Causes: []record.Disturbance{paused}}}, ""},
		{"everything counts already", quiet, &record.Trial{DurationS: 2}, ""},
	} {
		s := stalls{dut: []int{1}, generator: []int{0}}
		if c.wire != nil {
			s.note(c.wire)
		}
		got := s.own(c.upf)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
	one := stalls{dut: []int{0}, generator: []int{0}, known: true}
	if got := one.own(made(cause("paused", "", 0, 100, 0.05))); got != "" {
		t.Errorf("one CPU for all tells nothing apart: %q", got)
	}
}
