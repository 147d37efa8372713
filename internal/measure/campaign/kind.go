package campaign

import (
	"context"

	"github.com/upflab/upflab/internal/measure/campaign/plan"
)

// work is what a run does for a kind of scenario. One loop (run.go) places, claims, visits each DUT, settles and
// saves for all of them; a kind says what a visit is.
type work struct {
	// before prepares a run, before the first visit; nil: nothing.
	before func(ctx context.Context, r *run) error
	// steps is how many steps target i has in a repeat, where the run decides; nil: as planned.
	steps func(r *run, i, repeat int) int
	// visit measures a DUT: it brings it up, and takes it down.
	visit func(ctx context.Context, v *visit) error
	// after visits wire once more at the end of a repeat; nil: no figure needs it.
	after func(ctx context.Context, v *visit) error
}

// works is the table of what runs do, by their kind.
func works() map[plan.KindName]work {
	return map[plan.KindName]work{
		plan.KindLoad:    {visit: visitLoads, after: visitReference},
		plan.KindControl: {visit: visitControl, after: visitReference},
		plan.KindStress: {before: prepareStress, visit: visitLoads, after: visitReference,
			steps: func(r *run, i, repeat int) int { return len(r.study.trials(i, repeat)) }},
		plan.KindFlows:        {before: findTools, visit: visitFlows},
		plan.KindExternalRAN:  {before: findTools, visit: visitExternalRAN},
		plan.KindCases:        {visit: visitCases},
		plan.KindIncidents:    {visit: visitIncidents},
		plan.KindInstructions: {visit: visitInstructions},
	}
}
