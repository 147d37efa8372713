package plan

import (
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
)

// SoakFinding is how long the trial at max takes whose rate a soak has a share of.
const SoakFinding = 3 * time.Second

// soakLoads are the trials before a soak: those that find out what a share is of.
func soakLoads(list []trial.Spec) []trial.Spec {
	var find []trial.Spec
	for _, spec := range list {
		if spec.Kind == record.KindLoad && spec.Load.Max() {
			spec.Duration = min(spec.Duration, SoakFinding)
			find = append(find, spec)
		}
	}
	return find
}
