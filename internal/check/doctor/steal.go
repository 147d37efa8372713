package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/text/wait"
)

// watchFor is how long the machine is watched while we do nothing.
const watchFor = time.Second

// maxSteal is the share of time from which a trial counts as not valid.
const maxSteal = 0.02

// steal watches what the hypervisor takes for others.
func steal(ctx context.Context, e *exam) Finding {
	before, err := telemetry.Take(telemetry.Subject{})
	if err != nil {
		return failed("steal", err, "mount /proc")
	}
	_ = wait.Pause(ctx, watchFor)
	after, err := telemetry.Take(telemetry.Subject{})
	if err != nil {
		return failed("steal", err, "mount /proc")
	}
	return e.others(judgeSteal(telemetry.Between(before, after).MostStolen()))
}

// others notes what others do on the machine now, where a finding warns of it.
func (e *exam) others(f Finding) Finding {
	if f.State == Warn {
		e.busy = append(e.busy, f.Detail)
	}
	return f
}

func judgeSteal(ratio float64) Finding {
	f := Finding{Name: "steal", State: OK, Detail: fmt.Sprintf("%.1f %% of one CPU in the last second", 100*ratio)}
	if ratio > maxSteal {
		f.State = Warn
		f.Detail += fmt.Sprintf(" went to other guests: trials with more than %.0f %% are not valid", 100*maxSteal)
		f.Fix = "measure at a quieter time, on dedicated CPUs, or on bare metal"
	}
	return f
}
