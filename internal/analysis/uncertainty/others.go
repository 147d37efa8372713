package uncertainty

import (
	"fmt"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// safeLoads are the budgets of safe loads that a model gives: its interval holds how far the parameters may be off by
// the loads and repeats that were measured. A safe load of the measured loads alone has bounds and no interval.
func safeLoads(d *record.DUT, c *record.Calibration) (list []record.Uncertainty) {
	for i := range d.SafeLoads {
		s := &d.SafeLoads[i]
		if !(s.EstimatePPS > 0) || s.Measured || s.FewRepeats || s.AtLeast || s.Disturbed || !(s.HighPPS > s.LowPPS) {
			continue
		}
		b := record.Uncertainty{DUT: d.Label(), Of: fmt.Sprintf("stress %s %s %s%s", s.Direction, s.Size, s.Arrivals, class(s)), Kind: record.KindLoad,
			Where: s.Direction, Figure: "safe_load_pps", Unit: string(figure.PPS), Value: s.EstimatePPS, Trials: 1}
		b.Sources = []record.Source{
			known(record.Source{Source: Model, Type: "A"}, (s.HighPPS-s.LowPPS)/(2*stats.Reach(1, 0)), 0,
				"the interval of the model's fit over the loads and repeats"),
			betweenRuns(c, "rx_pps", record.Load{}, s.EstimatePPS),
			wire("the delay of both links is in the target's p99"),
			{Source: Clock, Type: "B", Why: "CLOCK_MONOTONIC was compared with no other clock"},
		}
		combine(&b)
		list = append(list, b)
	}
	return list
}

func class(s *record.SafeLoad) string {
	if s.Class == "" {
		return ""
	}
	return " " + s.Class
}

// goodputs are the budgets of the goodput of applications, of valid repeats.
func goodputs(d *record.DUT, c *record.Calibration) (list []record.Uncertainty) {
	f, _ := figure.Of("flow.goodput_bps")
	values := map[figure.Place][]float64{}
	var order []figure.Place
	for _, s := range f.Samples(d) {
		if !s.Valid || s.Value <= 0 {
			continue
		}
		if values[s.Place] == nil {
			order = append(order, s.Place)
		}
		values[s.Place] = append(values[s.Place], s.Value)
	}
	for _, place := range order {
		of := values[place]
		b := record.Uncertainty{DUT: d.Label(), Of: place.Words(true), Kind: place.Kind, Where: place.Direction, Figure: f.Name, Unit: string(f.Unit),
			Value: stats.Mean(of), Trials: len(of)}
		b.Sources = []record.Source{repeatability(of), betweenRuns(c, f.Name, record.Load{}, b.Value),
			wire("links, gateway and the application are in the figure: plain forwarding shows their share"),
			{Source: Clock, Type: "B", Why: "CLOCK_MONOTONIC was compared with no other clock"}}
		combine(&b)
		list = append(list, b)
	}
	return list
}
