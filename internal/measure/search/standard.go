package search

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Standard is a specification whose name a result may carry.
type Standard string

// The standards.
const (
	StandardMLRsearch  Standard = "RFC 9971 MLRsearch"
	StandardThroughput Standard = "RFC 2544 throughput"
	StandardTST009     Standard = "ETSI GS NFV-TST 009 binary search with loss verification"
	StandardLossRate   Standard = "RFC 2544 frame loss rate"
	StandardBackToBack Standard = "RFC 9004 back-to-back frames"
)

// Conditions are what standards ask of a benchmark besides the search. The
// search does not see them: who arranges the trials fills them in.
type Conditions struct {
	// FrameSizes are all sizes this benchmark is done with, bytes of the frame
	// with its FCS (RFC 1242 clause 3.5).
	FrameSizes []int
	// Residual is how long after a trial frames are waited for; RFC 2544 clause
	// 23 asks for 2 s.
	Residual time.Duration
	// Restabilise is the pause before the next trial; the clause asks for 5 s.
	Restabilise time.Duration
	// LineRate is true when the highest load is the medium's own limit for the
	// frame size (RFC 2544 clause 20).
	LineRate bool
}

const (
	fullTrial   = time.Minute // RFC 2544 clause 24
	residual    = 2 * time.Second
	restabilise = 5 * time.Second
	leastSizes  = 5 // RFC 2544 clause 9
)

// ethernetSizes are those of RFC 2544 clause 9.1.
func ethernetSizes() []int { return []int{64, 128, 256, 512, 1024, 1280, 1518} }

// Standard gives the name of the standard that the report may carry, and what is
// missing for the one it was made for. Either is empty.
func (r Report) Standard() (name string, missing []string) {
	missing = r.unfinished()
	switch r.claims {
	case StandardMLRsearch:
	case StandardThroughput:
		missing = append(missing, r.strictGoals(false)...)
		missing = append(missing, r.Conditions.missing()...)
	case StandardTST009:
		missing = append(missing, r.strictGoals(true)...)
		missing = append(missing, r.Conditions.missing()...)
	default:
		missing = append(missing, "the search was not made for a standard")
	}
	return named(r.claims, missing)
}

func named(s Standard, missing []string) (string, []string) {
	if len(missing) > 0 {
		return "", missing
	}
	return string(s), nil
}

// unfinished lists the goals without a valid result.
func (r Report) unfinished() []string {
	var missing []string
	if len(r.Goals) == 0 {
		missing = append(missing, "no result")
	}
	for _, g := range r.Goals {
		if !g.Valid() || g.coarse() {
			missing = append(missing, fmt.Sprintf("goal %s has no regular result", g.Goal.Name))
		}
	}
	return missing
}

// strictGoals asks for 60 s trials without loss: one (RFC 9971 clause 4.10.2),
// or one of several with loss verification (clause 4.10.3).
func (r Report) strictGoals(verified bool) []string {
	var missing []string
	for _, g := range r.Goals {
		missing = append(missing, g.Goal.notStrict(verified)...)
	}
	if r.Method == record.MethodLossVerification && !verified {
		missing = append(missing, "lossy trials were repeated: that is loss verification")
	}
	return missing
}

func (g Goal) notStrict(verified bool) []string {
	var missing []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			missing = append(missing, fmt.Sprintf("goal "+g.Name+": "+format, args...))
		}
	}
	add(g.FinalTrialDuration < fullTrial, "final trials of %v, not %v", g.FinalTrialDuration, fullTrial)
	add(g.LossRatio != 0, "loss ratio %v, not 0", g.LossRatio)
	if !verified {
		add(g.ExceedRatio != 0, "exceed ratio %v, not 0", g.ExceedRatio)
		return missing
	}
	add(g.DurationSum < 2*g.FinalTrialDuration, "lossy trials are not repeated")
	// One trial without loss has to be enough, and nothing less.
	one := 1 - g.FinalTrialDuration.Seconds()/g.DurationSum.Seconds()
	add(math.Abs(g.ExceedRatio-one) > 1e-9, "exceed ratio %v, not %v", g.ExceedRatio, one)
	return missing
}

// missing lists the conditions of RFC 2544 that are not met.
func (c Conditions) missing() []string {
	missing := c.waits()
	sizes := 0
	for _, s := range ethernetSizes() {
		if slices.Contains(c.FrameSizes, s) {
			sizes++
		}
	}
	if sizes < leastSizes {
		missing = append(missing, fmt.Sprintf("%d of the frame sizes %v, not %d or more (RFC 2544 clause 9)", sizes, ethernetSizes(), leastSizes))
	}
	return missing
}

func (c Conditions) waits() []string {
	var missing []string
	if c.Residual < residual {
		missing = append(missing, fmt.Sprintf("%v of waiting for residual frames, not %v (RFC 2544 clause 23)", c.Residual, residual))
	}
	if c.Restabilise < restabilise {
		missing = append(missing, fmt.Sprintf("%v of pause between trials, not %v (RFC 2544 clause 23)", c.Restabilise, restabilise))
	}
	return missing
}
