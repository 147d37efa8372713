package campaign

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/nosleep"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// claimHost makes the machine serve the run before others, until the claim is closed,
// and writes down what it does not grant.
// polls says that the generator does. What somebody else started, and a run only measures, it
// does not go before.
func claimHost(claim *host.Claim, s *scenario.Scenario, polls bool, r *record.Result) {
	ask := func(what func() error, without string) bool {
		err := what()
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("%s (%v)", without, err))
		}
		return err == nil
	}
	if s.RAN != scenario.RANExternal {
		ask(claim.GoFirst, "this run does not go before others on this machine: they may delay the generator")
		ask(claim.NeverThrottle, "the kernel takes busy real-time threads off their CPU for 5 % of the time: full XDP data paths lose that much")
	}
	if s.CPU.Idle == scenario.IdlePoll {
		r.Host.IdlePolls = ask(func() error { return nosleep.Keep(claim, idleCPUs(r.Host.Placement, polls)) },
			"idle CPUs could not be kept from sleeping: latencies hold their wake-ups")
	}
}

// idleCPUs are those that have nothing to do between two packets: all of the run's, but
// the generators' that poll.
func idleCPUs(p record.Placement, polls bool) (list []int) {
	for _, cpu := range slices.Concat(p.Senders(), p.DUT, p.Receivers()) {
		if !(polls && slices.Contains(p.Senders(), cpu)) && !slices.Contains(list, cpu) {
			list = append(list, cpu)
		}
	}
	return list
}
