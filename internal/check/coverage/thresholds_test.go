package coverage

import (
	"fmt"
	"math/rand/v2"

	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/record"
)

func fmt3(name string, a, b int) string { return fmt.Sprintf("%s-%d-%d", name, a, b) }

// days of a calibration.
type calibration struct{ days, runs int }

func (c calibration) String() string {
	switch {
	case c.runs == 0:
		return "not calibrated"
	case c.days == 1:
		return fmt.Sprintf("calibrated by %d runs of one day", c.runs)
	}
	return fmt.Sprintf("calibrated by %d runs of %d days", c.days*c.runs, c.days)
}

func (c calibration) of(m machine, rng *rand.Rand) *record.Calibration {
	if c.runs == 0 {
		return nil
	}
	return m.calibrated(rng, c.days, c.runs)
}

func thresholds() (list []row) {
	const text = "rx_pps >= 1M @ uplink max"
	t, err := threshold.Parse(text)
	if err != nil {
		panic(err)
	}
	for _, c := range []struct {
		under   string
		m       machine
		c       calibration
		repeats int
		rate    float64
	}{
		{"2 % from run to run", machine{run: 0.02, trial: 0.02}, calibration{}, 5, 1},
		{"7.7 % from run to run", machine{run: 0.077, trial: 0.02}, calibration{}, 1, 1},
		{"7.7 % from run to run", machine{run: 0.077, trial: 0.02}, calibration{}, 5, 1},
		{"7.7 % from run to run", machine{run: 0.077, trial: 0.02}, calibration{}, 10, 1},
		{"7.7 % from run to run, UPF 5 % below", machine{run: 0.077, trial: 0.02}, calibration{}, 5, 0.95},
		{"7.7 % from run to run", machine{run: 0.077, trial: 0.02}, calibration{1, 8}, 5, 1},
		{"none between runs, trials 5 %, AR 0.8", machine{trial: 0.05, again: 0.8}, calibration{1, 8}, 10, 1},
		{"2 % run to run, heavy tails, 5 % outliers", machine{run: 0.02, trial: 0.03, heavy: true, outliers: 0.05}, calibration{1, 8}, 5, 1},
		{"5 % from day to day, 2 % from run to run", machine{day: 0.05, run: 0.02, trial: 0.02}, calibration{1, 8}, 5, 1},
		{"5 % from day to day, 2 % from run to run", machine{day: 0.05, run: 0.02, trial: 0.02}, calibration{2, 4}, 5, 1},
		{"5 % from day to day, 2 % from run to run", machine{day: 0.05, run: 0.02, trial: 0.02}, calibration{4, 3}, 5, 1},
	} {
		list = append(list, row{
			about: "threshold", statement: fmt.Sprintf("a UPF at its limit passes, %d repeats, %s", c.repeats, c.c), under: c.under,
			promise: rarely, times: 1000,
			try: func(rng *rand.Rand) answer {
				d := plain
				d.pps *= c.rate
				r := c.m.begin(rng, c.m.dayOf(rng)).result("r", epoch.AddDate(0, 1, 0), d, c.repeats)
				r.Calibration = c.c.of(c.m, rng)
				switch t.Check(r)[0].Outcome {
				case record.OutcomePass:
					return wrong
				case record.OutcomeCannotTell:
					return silent
				}
				return right
			},
		})
	}
	return list
}
