package report

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/published"
	"github.com/upflab/upflab/internal/record"
)

// comparable finds the trial that a measurement can stand beside, or says why
// there is none.
func (d dutView) comparable(s *published.Study, m *published.Measurement) (*row, string) {
	switch {
	case m.Kind == published.KindGoodput:
		return nil, "goodput of an application through a RAN, which upflab does not measure"
	case m.Kind == published.KindResource:
		return nil, "CPU at a load that is not told in packets/s"
	case m.Mode == "":
		return nil, "its mode is not told"
	case m.OfferedPPS == 0:
		return nil, "its load is not told as one rate"
	}
	r, why := d.atLoad(m)
	if r == nil {
		return nil, why
	}
	if why := otherTraffic(&s.Conditions, r.group.Used[0]); why != "" {
		return nil, why
	}
	return r, ""
}

// otherTraffic says in what the traffic differs; "" in nothing that is told.
func otherTraffic(c *published.Conditions, t *record.Trial) string {
	switch {
	case t.Mixed:
		return "this run's packets are a mixture"
	case c.PayloadBytes == 0 || c.Sessions == 0:
		return "its payload is not told, or not its number of sessions"
	case c.PayloadBytes != t.PayloadBytes:
		return fmt.Sprintf("its payload is %d bytes, this run's %d", c.PayloadBytes, t.PayloadBytes)
	case c.Sessions != t.Sessions:
		return fmt.Sprintf("it has %d sessions, this run %d", c.Sessions, t.Sessions)
	}
	return ""
}

// atLoad is the valid trial of the same kind whose load is nearest, within 5 %.
func (d dutView) atLoad(m *published.Measurement) (best *row, why string) {
	invalid := false
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.group.Kind != resultKind(m.Kind) || r.Direction != m.Direction || r.rate() <= 0 || loadDistance(r, m) > math.Log1p(near) {
			continue
		}
		if !r.Valid {
			invalid = true
			continue
		}
		if best == nil || loadDistance(r, m) < loadDistance(best, m) {
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
		return fmt.Sprintf("no latency trial of this run is at %s; --full has one", Rate(m.OfferedPPS))
	}
	return fmt.Sprintf("no trial of this run offers %s; --set loads=%s does", Rate(m.OfferedPPS), loadSetting(m.OfferedPPS))
}

// loadSetting writes a rate as a scenario does.
func loadSetting(pps float64) string {
	if pps >= 1e3 && math.Mod(pps, 1e3) == 0 {
		return fmt.Sprintf("%.0fk", pps/1e3)
	}
	return fmt.Sprintf("%.0f", pps)
}

// loadDistance is how far our load is from what they asked for or from what they
// reached, whichever is nearer, as the logarithm of the ratio.
func loadDistance(r *row, m *published.Measurement) float64 {
	least := math.Inf(1)
	for _, pps := range []float64{m.OfferedPPS, m.SentPPS} {
		if pps > 0 {
			least = min(least, math.Abs(math.Log(r.rate()/pps)))
		}
	}
	return least
}

func resultKind(kind string) string {
	if kind == published.KindLatency {
		return record.KindLatency
	}
	return record.KindLoad
}
