package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

const (
	// floorReach: loss that is as rare at this many times the lowest load above the bound that
	// loses does not depend on load. A device that is full loses a fifth of the packets there.
	floorReach = 1.25
	// floorChance is how likely it has to be that a bound lost as little by chance.
	floorChance = 0.01
	// rare is the most that is taken for loss by chance.
	rare = 0.01
)

// lossFloor says that loads well above a lower bound, packets/s, lost no more than the bound
// might as well have lost: then the search has found how many packets it takes to lose one,
// and not a load. "" where loss grows with load.
func lossFloor(trials []Record, bound, lossRatio float64) string {
	used := slices.DeleteFunc(slices.Clone(trials), func(r Record) bool { return !r.Used })
	slices.SortStableFunc(used, func(a, b Record) int { return cmp.Compare(a.PPS, b.PPS) })
	var few, fewLost, sent, lost float64 // at the bound, and well above
	var losing float64                   // the lowest load above the bound that lost a packet
	for i, r := range used {
		o := r.Outcome
		switch {
		case r.PPS == bound:
			few, fewLost = few+float64(o.Sent), fewLost+float64(o.Lost)
			continue
		case r.PPS > bound && o.Lost > 0 && losing == 0:
			losing = r.PPS
		}
		switch {
		case r.PPS < floorReach*bound:
			continue
		case o.LimitedBy == record.LimitGenerator:
			return ""
		}
		sent, lost = sent+float64(o.Sent), lost+float64(o.Lost)
		if i+1 < len(used) && used[i+1].PPS == r.PPS { // all trials at a load first
			continue
		}
		if lost > rare*sent {
			return ""
		}
		if lost > lossRatio*sent && r.PPS >= floorReach*losing && poissonAtMost(fewLost, few*lost/sent) >= floorChance {
			return fmt.Sprintf("loss does not depend on load: up to %s %.2g %% is lost, and the %.0f packets at %s were too few to show as much; take a goal that allows more loss, and look for what loses packets at any load",
				rate(r.PPS), 100*lost/sent, few, rate(bound))
		}
	}
	return ""
}

// poissonAtMost is how likely it is that at most k happen of which mean are expected.
func poissonAtMost(k, mean float64) float64 {
	k = math.Round(k)
	if mean > 500 { // a normal distribution by then
		return 0.5 * math.Erfc((mean-k-0.5)/math.Sqrt(2*mean))
	}
	term, sum := math.Exp(-mean), 0.0
	for i := 0.0; i <= k && (term > 0 || i < mean); i++ {
		sum += term
		term *= mean / (i + 1)
	}
	return min(1, sum)
}
