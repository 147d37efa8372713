package trial

import (
	"time"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/telemetry"
)

// workReading is a polling UPF's account of its time at one moment.
type workReading struct {
	at   time.Time
	work dut.Work
	ok   bool
}

// work reads it; a UPF that keeps none, or is too busy to report it, has none.
func (dp *Deployment) work() (r workReading) {
	read := dp.instance.Work
	if read == nil {
		return r
	}
	work, err := read()
	return workReading{time.Now(), work, err == nil}
}

// usefulRatio is the share of a trial in which a polling UPF moved packets, 0..1.
// The readings lie around the trial, with silence before and after: all the work
// between them was the trial's. nil: it is not known.
func usefulRatio(before, after workReading, trial time.Duration) *float64 {
	busy, total := after.work.Busy-before.work.Busy, after.work.Total-before.work.Total
	if !before.ok || !after.ok || busy < 0 || total <= 0 || trial <= 0 { // its counters were cleared
		return nil
	}
	wide := max(1, after.at.Sub(before.at).Seconds()/trial.Seconds())
	ratio := min(1, busy/total*wide)
	return &ratio
}

// usefulOr0 is 0 where it is not known.
func usefulOr0(ratio *float64) float64 {
	if ratio == nil {
		return 0
	}
	return *ratio
}

// parts divides the time of a DUT's threads into idle polling and work, where that
// is known.
func parts(list []record.Share, useful *float64) (out []record.Share) {
	for _, p := range list {
		if useful == nil || p.Name != telemetry.OwnThreads {
			out = append(out, p)
			continue
		}
		out = append(out, record.Share{Name: p.Name + ", at work", Cores: p.Cores * *useful},
			record.Share{Name: p.Name + ", idle polling", Cores: p.Cores * (1 - *useful)})
	}
	return out
}
