package compare

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// builds is a run of two builds of one UPF, in turn on the same machine, of which all trials
// at max had the limit.
func builds(old, changed simulated, seed uint64, limit record.Limit) Input {
	in := measured(old, seed, "builds")
	with := measured(changed, seed+1000, "builds").Result
	a, b := byLabel(in.Result, "builtin:xdp"), byLabel(with, "builtin:xdp")
	a.Name, b.Name = "builtin@old", "builtin@new"
	in.Result.DUTs = append(in.Result.DUTs, *b)
	for _, label := range []string{"builtin@old:xdp", "builtin@new:xdp"} {
		change(in, label, func(tr *record.Trial) {
			if tr.Load.Max() {
				tr.LimitedBy = limit
			}
		})
	}
	return in
}

// TestBuildsOnABusyMachine: what others took of the CPU they took of both builds, in turn.
// That is no limit that one of them could hide behind; a link or a generator is.
func TestBuildsOnABusyMachine(t *testing.T) {
	steady := simulated{repeats: 5, noise: 0.01}
	slow := simulated{repeats: 5, noise: 0.01, rate: 0.8}
	for _, c := range []struct {
		story   string
		in      Input
		verdict Verdict
		why     string
		closed  bool
	}{
		{"slower, by its own limit", builds(steady, slow, 1, "dut"), Worse, "", true},
		{"slower, others used the CPU", builds(steady, slow, 1, "host"), Worse, "others used the UPF's CPU", true},
		{"faster, others used the CPU", builds(slow, steady, 1, "host"), Better, "others used the UPF's CPU", false},
		{"slower, but the link ended both", builds(steady, slow, 1, "link"), CannotTell, "limited by link", false},
		{"slower, but the generator ended both", builds(steady, slow, 1, "generator"), CannotTell, "limited by generator", false},
	} {
		made := compared(t, c.in, c.in, Options{Metrics: []Metric{RxPPS}, Threshold: 0.03})
		f := figure(t, made, RxPPS, "uplink max")
		if f.Verdict != c.verdict || !strings.Contains(f.Why, c.why) || (c.why == "") != (f.Why == "") {
			t.Errorf("%s: %s, %q; want %s, %q", c.story, f.Verdict, f.Why, c.verdict, c.why)
		}
		if closed := len(made.Gate.Worse) > 0; closed != c.closed {
			t.Errorf("%s: gate closed %v, want %v", c.story, closed, c.closed)
		}
		if c.in.Result.DUTs[1].Trials[2].LimitedBy == "host" && f.within(0.03) {
			t.Errorf("%s: a worsening of 3 %% on a quiet machine is ruled out", c.story)
		}
	}
}

// TestUPFsOnABusyMachine: two UPFs may suffer from others in different ways.
func TestUPFsOnABusyMachine(t *testing.T) {
	in := builds(simulated{repeats: 5, noise: 0.01}, simulated{repeats: 5, noise: 0.01, rate: 0.8}, 1, "host")
	byLabel(in.Result, "builtin@new:xdp").Mode = "tun"
	if f := figure(t, compared(t, in, in, Options{Metrics: []Metric{RxPPS}}), RxPPS,
		"uplink max"); f.Verdict != CannotTell || f.AtMost() != true {
		t.Errorf("%s, %q", f.Verdict, f.Why)
	}
}

// TestSameBuildOnABusyMachine: of comparisons of a build with itself at most 5 % find a
// difference, also where others take up to two thirds of the CPU from either, at random.
func TestSameBuildOnABusyMachine(t *testing.T) {
	const times = 200
	rng := rand.New(rand.NewPCG(7, 5))
	for _, repeats := range []int{3, 5, 8} {
		differ, closed := 0, 0
		for n := range times {
			in := builds(simulated{repeats: repeats, noise: 0.02}, simulated{repeats: repeats, noise: 0.02}, uint64(n), "host")
			for _, label := range []string{"builtin@old:xdp", "builtin@new:xdp"} {
				change(in, label, func(tr *record.Trial) {
					if tr.Load.Max() {
						tr.RxPPS *= 1 - rng.Float64()*2/3
					}
				})
			}
			c := compared(t, in, in, Options{Metrics: []Metric{RxPPS, CPU}, Threshold: 0.03})
			differ += one(len(verdicts(c)) > 0)
			closed += one(len(c.Gate.Worse) > 0)
		}
		t.Logf("%d repeats: %d of %d differ, %d close the gate", repeats, differ, times, closed)
		if most := times/20 + 6; differ > most || closed > most {
			t.Errorf("%d repeats: %d of %d differ, %d close the gate; at most %d", repeats, differ, times, closed, most)
		}
	}
}
