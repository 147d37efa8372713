package campaign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/disturbance"
	"github.com/upflab/upflab/internal/record"
)

// stalls tell a kernel datapath's own stalls from those that the machine makes. What keeps a CPU
// with interrupts off, or in a kernel worker, counts as a disturbance: nothing on the CPU itself
// says whose it is. Two comparisons do: the machine takes the generator's CPUs, too, and it takes
// the UPF's CPUs in trials of wire as well.
type stalls struct {
	dut, generator []int   // CPUs
	wire           float64 // the highest share of the DUT's CPUs in a trial of wire's, 0..1
	known          bool    // there was one
}

const (
	// stallsLeast is the share of the time from which stalls matter: they then reach the 99.9th
	// percentile of latency, and a ring of 256 packets overflows in them.
	stallsLeast = 0.002
	// stallsOwn is how many times as much a UPF's trial has of them as wire's trials and as the
	// generator's CPUs: the host's own share differs by less from trial to trial.
	stallsOwn = 3
	// stallsCount is how many there have to be: one long pause of the host's proves nothing.
	stallsCount = 5
)

// note keeps what trials of wire have.
func (s *stalls) note(t *record.Trial) {
	if share, _ := stalled(t, s.dut); counted(t) {
		s.wire, s.known = max(s.wire, share), true
	}
}

// own says why the stalls of a UPF's trial are taken for its own, so that they have to count;
// "": they are not, or do not matter, or everything counts already, or there is nothing to compare them with.
func (s *stalls) own(t *record.Trial) string {
	if !s.known || !counted(t) || t.Excluded.Void || slices.ContainsFunc(s.generator, func(cpu int) bool { return slices.Contains(s.dut, cpu) }) {
		return ""
	}
	share, n := stalled(t, s.dut)
	elsewhere, _ := stalled(t, s.generator)
	if share < stallsLeast || n < stallsCount || share < stallsOwn*s.wire || share < stallsOwn*elsewhere {
		return ""
	}
	return fmt.Sprintf("interrupts were off, or kernel workers ran, for %.2g %% of the time of the UPF's CPUs, %.2g %% with wire and %.2g %% on the generator's: that is the UPF's own doing, so the trial was repeated with everything counted",
		100*share, 100*s.wire, 100*elsewhere)
}

// counted reports whether it is known what disturbed a trial.
func counted(t *record.Trial) bool { return t.Excluded != nil && t.Excluded.Of > 0 }

// stalled is the share of the time of CPUs, 0..1, in which interrupts were off (or the host had
// them) or a kernel worker ran while the run's work waited, and how often that was.
func stalled(t *record.Trial, cpus []int) (share float64, n uint64) {
	if t.Excluded == nil {
		return 0, 0
	}
	took := t.DurationS
	if !t.Excluded.Void {
		took += t.Excluded.Seconds
	}
	for _, c := range t.Excluded.Causes {
		worker := c.Cause == string(disturbance.Others) && strings.HasPrefix(c.Who, "kworker/")
		if slices.Contains(cpus, c.CPU) && (worker || c.Cause == string(disturbance.Paused)) {
			share += c.Seconds
			n += c.Count
		}
	}
	if took <= 0 || len(cpus) == 0 {
		return 0, 0
	}
	return share / took / float64(len(cpus)), n
}
