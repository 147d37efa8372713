package campaign

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

const (
	// patience is how long a run waits, in all, for a host to move the CPUs together again.
	patience = 30 * time.Second
	// searching is the same for a run that searches: it ends in a minute and a half, and says
	// that the CPUs were apart.
	searching = 5 * time.Second
	// glance is how often it looks meanwhile.
	glance = 200 * time.Millisecond
)

// nearness is how near the generator's CPU and the UPF's are. A hypervisor that moves one of
// them to another part of its machine makes everything slower that goes from one to the
// other, by a factor of two, for seconds to minutes.
type nearness struct {
	leastNS float64       // for a cache line there and back, so far; 0: not known
	left    time.Duration // of the run's patience
}

// patienceFor is that of a run of a scenario.
func patienceFor(s *scenario.Scenario) time.Duration {
	if searched(s) == nil {
		return patience
	}
	return searching
}

// saw keeps the least.
func (n *nearness) saw(lineNS float64) {
	if lineNS > 0 && (n.leastNS == 0 || lineNS < n.leastNS) {
		n.leastNS = lineNS
	}
}

// await waits until the CPUs are as near as they were, or the run has no patience left.
func (n *nearness) await(ctx context.Context, lineNS func() float64) {
	for ctx.Err() == nil && n.left > 0 {
		now := lineNS()
		n.saw(now)
		if !verdict.Apart(now, n.leastNS) {
			return
		}
		n.left -= glance
		select {
		case <-ctx.Done():
		case <-time.After(glance):
		}
	}
}

// lost reports whether a trial was made with the CPUs apart, and the run still has patience
// for another.
func (n *nearness) lost(t *record.Trial) bool {
	return n.left > 0 && t.Evidence != nil && t.Evidence.LineNS != nil && verdict.Apart(*t.Evidence.LineNS, n.leastNS)
}
