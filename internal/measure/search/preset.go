package search

import (
	"slices"
	"strings"
	"time"
)

// The presets.
const (
	Quick   = "quick"   // both rates within 1 % in about a minute
	CSIT    = "csit"    // the goals of FD.io CSIT: a minute and more
	RFC2544 = "rfc2544" // 60 s trials without loss: five minutes and more
)

// Names of the goals in presets.
const (
	NDR = "ndr" // non-drop rate: no loss
	PDR = "pdr" // partial drop rate: 0.5 % loss
)

// pdrLoss is the Goal Loss Ratio of the partial drop rate by convention.
const pdrLoss = 0.005

// quickBudget leaves a run of one UPF in one direction 40 s of a minute and a half, to set up
// and to take latency.
const quickBudget = 50 * time.Second

// verifyMargin is what a machine that is not quite alone does to a rate.
const verifyMargin = 0.02

// Presets lists the names that Preset knows.
func Presets() []string { return []string{Quick, CSIT, RFC2544} }

// Preset gives a search with its goals set. The caller adds MinPPS and MaxPPS,
// and may change the rest.
func Preset(name string) (MLRsearch, error) {
	switch name {
	case Quick:
		return quick(), nil
	case CSIT:
		return csit(), nil
	case RFC2544:
		return rfc2544(), nil
	}
	return MLRsearch{}, unknownPreset(name)
}

func presetNames() string { return strings.Join(slices.Sorted(slices.Values(Presets())), ", ") }

// quick repeats a lossy trial once before it believes it, as TST 009 does. In
// shorter trials than its 2 s, a queue of 500 packets in a device of 30 kpps
// would hide an overload of more than 1 %. The first trials only show the way, and are
// short: with 1 s, a search takes 5 to 18 s more where the two rates lie apart.
func quick() MLRsearch {
	ndr := Goal{
		Name: NDR, Width: 0.005, ExceedRatio: 0.5,
		InitialTrialDuration: 250 * time.Millisecond, FinalTrialDuration: 2 * time.Second, DurationSum: 4 * time.Second,
	}
	return MLRsearch{
		Goals: []Goal{ndr, withLoss(ndr, PDR, pdrLoss)}, Verify: verifyMargin, Claims: StandardMLRsearch,
		// A steady device takes half a minute; a busy machine repeats trials, and one that
		// drifts the search. What is known when the time ends is the result, if it is near.
		Limits: Limits{Budget: quickBudget},
	}
}

// csit has the goals of FD.io CSIT.
func csit() MLRsearch {
	ndr := Goal{
		Name: NDR, Width: 0.005, ExceedRatio: 0.5,
		InitialTrialDuration: time.Second, FinalTrialDuration: time.Second, DurationSum: 21 * time.Second,
	}
	return MLRsearch{
		Goals: []Goal{ndr, withLoss(ndr, PDR, pdrLoss)}, Verify: verifyMargin, Claims: StandardMLRsearch,
		Limits: Limits{Budget: 20 * time.Minute},
	}
}

// rfc2544 has the goal that RFC 9971 clause 4.10.2 gives for RFC 2544 clause 24.
func rfc2544() MLRsearch {
	return MLRsearch{
		Goals: []Goal{{
			Name: NDR, Width: 0.005,
			InitialTrialDuration: time.Second, FinalTrialDuration: time.Minute, DurationSum: time.Minute,
		}},
		Verify: verifyMargin, Claims: StandardThroughput,
		Limits: Limits{Budget: 90 * time.Minute},
	}
}

func withLoss(g Goal, name string, ratio float64) Goal {
	g.Name, g.LossRatio = name, ratio
	return g
}
