package studies

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// comparable finds the trial that a measurement can be compared with, or says why
// there is none.
func comparable(d *view.UPF, s *published.Study, m *published.Measurement) (*view.Row, string) {
	switch {
	case m.Kind == published.KindGoodput:
		return nil, "goodput of an application at a UE: " + repeatedBy(s)
	case m.Kind == published.KindResource:
		return nil, "CPU at a load that is not reported in packets/s"
	case m.Mode == "":
		return nil, "its mode is not reported"
	case m.OfferedPPS == 0:
		return nil, "its load is not reported as one rate"
	}
	r, why := atLoad(d, m)
	if r == nil {
		return nil, why
	}
	if why := otherTraffic(&s.Conditions, r.Used[0]); why != "" {
		return nil, why
	}
	return r, ""
}

// repeatedBy names the scenario that measures what a study did.
func repeatedBy(s *published.Study) string {
	if s.Scenario == "" {
		return "no scenario repeats it"
	}
	return "upflab run " + s.Scenario + " measures that, without a RAN, and shows both"
}

// otherTraffic says in what the traffic differs; "" in nothing that is reported.
func otherTraffic(c *published.Conditions, t *record.Trial) string {
	switch {
	case t.Mixed:
		return "this run's packets are a mixture"
	case c.PayloadBytes == 0 || c.Sessions == 0:
		return "its payload or its number of sessions is not reported"
	case c.PayloadBytes != t.PayloadBytes:
		return fmt.Sprintf("its payload is %d bytes, this run's %d", c.PayloadBytes, t.PayloadBytes)
	case c.Sessions != t.Sessions:
		return fmt.Sprintf("it has %s, this run %d", units.Plural(c.Sessions, "session"), t.Sessions)
	}
	return ""
}

// atLoad is the valid trial of the same kind whose load is nearest, within 5 %.
func atLoad(d *view.UPF, m *published.Measurement) (best *view.Row, why string) {
	invalid := false
	for _, r := range d.Rows {
		if r.Kind != kindOf(m) || string(r.Direction) != m.Direction || r.OfferedPPS() <= 0 || distance(r, m) > math.Log1p(view.Near) {
			continue
		}
		if !r.Valid() {
			invalid = true
			continue
		}
		if best == nil || distance(r, m) < distance(best, m) {
			best = r
		}
	}
	switch {
	case best != nil:
		return best, ""
	case invalid:
		return nil, "this run's trial at that load is not valid"
	}
	return nil, noSuchLoad(m)
}

func noSuchLoad(m *published.Measurement) string {
	if m.Kind == published.KindLatency {
		return fmt.Sprintf("no latency trial of this run is at %s; --full has one", units.Rate(m.OfferedPPS))
	}
	return fmt.Sprintf("no trial of this run offers %s; --set loads=%s does", units.Rate(m.OfferedPPS), setting(m.OfferedPPS))
}

// setting writes a rate as a scenario does.
func setting(pps float64) string {
	if pps >= 1e3 && math.Mod(pps, 1e3) == 0 {
		return fmt.Sprintf("%.0fk", pps/1e3)
	}
	return fmt.Sprintf("%.0f", pps)
}

// distance is how far our load is from what they asked for or from what they reached,
// whichever is nearer, as the logarithm of the ratio.
func distance(r *view.Row, m *published.Measurement) float64 {
	least := math.Inf(1)
	for _, pps := range []float64{m.OfferedPPS, m.SentPPS} {
		if pps > 0 {
			least = min(least, math.Abs(math.Log(r.OfferedPPS()/pps)))
		}
	}
	return least
}

// kindOf is the kind of trial that a measurement compares with.
func kindOf(m *published.Measurement) record.Kind {
	if m.Kind == published.KindLatency {
		return record.KindLatency
	}
	return record.KindLoad
}
