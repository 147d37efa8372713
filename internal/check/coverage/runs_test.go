package coverage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/uncertainty"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/text"
	"github.com/upflab/upflab/internal/report/sections"
)

// comparisons are of two runs of one UPF: any figure that is called better or worse is false.
func comparisons() (list []row) {
	for _, c := range []struct {
		under string
		m     machine
		c     calibration
		apart int // days
	}{
		{"2 % from run to run, 0.7 of it wire's", machine{run: 0.02, trial: 0.01, shared: 0.7}, calibration{}, 1},
		{"5 % from run to run, 0.7 of it wire's", machine{run: 0.05, trial: 0.01, shared: 0.7}, calibration{}, 1},
		{"7.7 % from run to run, not wire's", machine{run: 0.077, trial: 0.01}, calibration{}, 1},
		{"2 % from run to run, not wire's, of one day", machine{day: 0.05, run: 0.02, trial: 0.01}, calibration{1, 8}, 0},
		{"2 % from run to run, 5 % from day to day", machine{day: 0.05, run: 0.02, trial: 0.01}, calibration{1, 8}, 3},
		{"2 % from run to run, 5 % from day to day", machine{day: 0.05, run: 0.02, trial: 0.01}, calibration{4, 3}, 3},
		{"trials 5 % by Student's t of 3, AR 0.8, outliers", machine{run: 0.02, trial: 0.05, again: 0.8, heavy: true, outliers: 0.05}, calibration{}, 1},
	} {
		list = append(list, row{
			about: "compare A B", statement: "a UPF differs from itself in two runs, 5 repeats, " + c.c.String(), under: c.under, promise: rarely, times: 400,
			try: func(rng *rand.Rand) answer {
				day := c.m.dayOf(rng)
				a := c.m.begin(rng, day).result("a", epoch.AddDate(0, 1, 0), plain, 5)
				if c.apart > 0 {
					day = c.m.dayOf(rng)
				}
				b := c.m.begin(rng, day).result("b", epoch.AddDate(0, 1, c.apart).Add(time.Hour), plain, 5)
				b.Calibration = c.c.of(c.m, rng)
				return compared(compare.Compare(compare.Input{Name: "A", Result: a}, compare.Input{Name: "B", Result: b}, compare.Options{Threshold: 0.03}))
			},
		})
	}
	return list
}

// compared is false where any figure of a UPF differs.
func compared(c *compare.Comparison, err error) answer {
	if err != nil {
		panic(err)
	}
	for _, p := range c.Pairs {
		for _, f := range p.Figures {
			if !p.Reference() && (f.Verdict == compare.Better || f.Verdict == compare.Worse) {
				return wrong
			}
		}
	}
	return silent
}

// inTurn are two builds that are one, in one run: six loads in two directions, some 30 figures.
func inTurn() (list []row) {
	for _, c := range []struct {
		under   string
		m       machine
		repeats int
	}{
		{"2 %", machine{trial: 0.02}, 5},
		{"2 %", machine{trial: 0.02}, 7},
		{"5 %, AR 0.8", machine{trial: 0.05, again: 0.8}, 10},
		{"2 %, Student's t of 3, outliers", machine{trial: 0.02, heavy: true, outliers: 0.05}, 7},
		{"2 %", machine{trial: 0.02}, 20},
	} {
		list = append(list, row{
			about: "compare", statement: fmt.Sprintf("two builds that are one differ in any of 30 figures, %d repeats in turn", c.repeats),
			under: "trials " + c.under, promise: rarely, times: 500,
			try: func(rng *rand.Rand) answer {
				r := &record.Result{Run: "r", Started: epoch, Order: &record.Order{}, DUTs: []record.DUT{
					{Name: "upf@a", Mode: "xdp", Status: record.StatusOK}, {Name: "upf@b", Mode: "xdp", Status: record.StatusOK}}}
				for repeat := 1; repeat <= c.repeats; repeat++ {
					order := []int{0, 1}
					if rng.IntN(2) == 0 {
						order = []int{1, 0}
					}
					s := c.m.begin(rng, c.m.dayOf(rng))
					for _, i := range order {
						d := &r.DUTs[i]
						r.Order.Visit(repeat, d.Label())
						for _, direction := range []record.Direction{record.Uplink, record.Downlink} {
							for _, load := range []float64{0, 100e3, 200e3, 300e3} {
								d.Trials = append(d.Trials, trial(s.noise(), plain, direction, load, repeat))
							}
						}
					}
				}
				in := compare.Input{Name: "r", Result: r}
				return compared(compare.Compare(in, in, compare.Options{DUT: "upf@a:xdp", Against: "upf@b:xdp"}))
			},
		})
	}
	return list
}

// budgets are the expanded uncertainties of result.json: the figure of a UPF in this run, or where the machine was
// calibrated in any of the same day.
func budgets() (list []row) {
	for _, c := range []struct {
		figure, under string
		m             machine
		c             calibration
		repeats       int
		promise
	}{
		{"latency.p50", "3 % from trial to trial", machine{trial: 0.015}, calibration{}, 1, covers},
		{"latency.p50", "3 % from trial to trial", machine{trial: 0.015}, calibration{}, 3, covers},
		{"latency.p99", "3 % from trial to trial", machine{trial: 0.015}, calibration{}, 5, covers},
		{"rx_pps", "5 % from trial to trial, AR 0.8", machine{trial: 0.05, again: 0.8}, calibration{}, 10, covers},
		{"rx_pps", "5 % from trial to trial", machine{trial: 0.05}, calibration{}, 10, covers},
		{"rx_pps", "3 % by Student's t of 3", machine{trial: 0.03, heavy: true}, calibration{}, 5, within},
		{"rx_pps", "5 % from run to run", machine{run: 0.05, trial: 0.01}, calibration{1, 8}, 3, covers},
		{"rx_pps", "3 % from run to run and day to day", machine{day: 0.03, run: 0.03, trial: 0.01}, calibration{4, 3}, 3, covers},
	} {
		list = append(list, row{
			about: "uncertainty", statement: fmt.Sprintf("interval of %s, %d repeats, %s", c.figure, c.repeats, c.c), under: c.under, promise: c.promise, times: 1500,
			try: func(rng *rand.Rand) answer {
				s := c.m.begin(rng, c.m.dayOf(rng))
				r := s.result("r", epoch, plain, c.repeats)
				known := c.c.of(c.m, rng)
				r.Calibration = known
				level := 1.0
				if known == nil {
					level = math.Exp(s.upf) // of this run
				}
				truth := map[string]float64{"rx_pps": plain.pps * level, "latency.p50": plain.ns * math.Pow(level, -2),
					"latency.p99": 5 * plain.ns * math.Pow(level, -2)}[c.figure]
				for _, b := range uncertainty.Budgets(r) {
					if b.Figure != c.figure || b.Where != record.Uplink || b.Of != "load uplink max 100" && c.figure == "rx_pps" {
						continue
					}
					if b.Expanded == nil {
						return silent
					}
					return held(math.Abs(b.Value-truth) <= *b.Expanded)
				}
				panic("no budget")
			},
		})
	}
	return list
}

// searches are of a UPF whose capacity scatters by 1 % from trial to trial and drifts by 5 % a minute: the interval
// of the budget contains the median capacity, where there is one. The bounds of a search alone are none.
func searches() (list []row) {
	for _, c := range []calibration{{}, {1, 8}, {4, 3}} {
		m := machine{day: 0.02, run: 0.02, trial: 0.01}
		list = append(list, row{
			about: "search", statement: "interval of a non-drop rate, " + c.String(), under: "2 % from run to run and day to day, 1 % a trial, drift of 5 % a minute", promise: within, times: 400,
			try: func(rng *rand.Rand) answer {
				s := m.begin(rng, m.dayOf(rng))
				low, high, drift := 0.0, 2*plain.pps, 0.05*(rng.Float64()-0.5)
				for n := 0.0; high-low > 0.01*high; n++ {
					const seconds = 2
					load := (low + high) / 2
					if load <= plain.pps*math.Exp(s.upf+0.01*rng.NormFloat64()+drift*n*seconds/60) {
						low = load
					} else {
						high = load
					}
				}
				r := s.result("r", epoch, plain, 1)
				r.Calibration = c.of(m, rng)
				g := record.SearchGoal{Name: record.GoalNDR, LowerPPS: low, UpperPPS: high}
				g.Valid = true
				r.DUTs[1].Searches = []record.Search{{Direction: record.Uplink, Goals: []record.SearchGoal{g}}}
				for _, b := range uncertainty.Budgets(r) {
					if b.Kind == record.KindSearch && b.Expanded != nil {
						truth := plain.pps
						if c.days == 1 { // runs of one day
							truth *= math.Exp(s.upf) // that of this run is as far from the day's as any
						}
						return held(math.Abs(b.Value-truth) <= *b.Expanded)
					}
				}
				return silent
			},
		})
	}
	return list
}

// firstLine is what a run prints first: "1.47 Mpps (1.36 to 1.59 from run to run)", where another run lies.
func firstLine() (list []row) {
	line := regexp.MustCompile(`How fast.*?uplink.*?([0-9.]+) (Mpps|kpps) \(([0-9.]+) to ([0-9.]+) from run to run\)`)
	for _, c := range []struct {
		under string
		m     machine
		c     calibration
	}{
		{"another run of the day, 3 %", machine{run: 0.03, trial: 0.01}, calibration{1, 8}},
		{"a run of another day, 3 % from day to day and run to run", machine{day: 0.03, run: 0.03, trial: 0.01}, calibration{5, 3}},
	} {
		list = append(list, row{
			about: "first line", statement: "another run lies in the interval, " + c.c.String(), under: c.under, promise: covers, times: 400,
			try: func(rng *rand.Rand) answer {
				day, other := c.m.dayOf(rng), c.m.dayOf(rng)
				if c.c.days == 1 {
					other = day
				}
				r := c.m.begin(rng, day).result("r", epoch, plain, 1)
				r.Calibration = c.c.of(c.m, rng)
				another := c.m.begin(rng, other).result("s", epoch, plain, 1).DUTs[1].Trials[0].RxPPS
				found := line.FindStringSubmatch(written(r))
				if found == nil {
					return silent
				}
				var low, high float64
				fmt.Sscan(found[3], &low)
				fmt.Sscan(found[4], &high)
				unit := map[string]float64{"Mpps": 1e6, "kpps": 1e3}[found[2]]
				return held(low*unit <= another && another <= high*unit)
			},
		})
	}
	return list
}

// noLoss is what a run says of loads without loss: "up to 300 kpps (under 3 in 300 000, 95 %)".
func noLoss() []row {
	line := regexp.MustCompile(`No loss uplink: up to [^:]*?\(under 3 in [^)]*, 95 %\)`)
	return []row{{
		about: "no loss", statement: "the loss is under 3 in N where none of N was lost", under: "losses one by one, 3.0001 in N on average",
		promise: rarely, times: 2000,
		try: func(rng *rand.Rand) answer {
			r := machine{}.begin(rng, [2]float64{}).result("r", epoch, plain, 1)
			for i := range r.DUTs[1].Trials {
				t := &r.DUTs[1].Trials[i]
				if t.Load.PPS > 0 && rng.Float64() > math.Exp(-3.0001) {
					t.FrameLossRatio = 1e-6
				}
			}
			if line.MatchString(written(r)) {
				return wrong
			}
			return silent
		},
	}}
}

// written is what is printed at the end of a run.
func written(r *record.Result) string {
	var b strings.Builder
	if err := text.Write(&b, sections.Headline(r)); err != nil {
		panic(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
