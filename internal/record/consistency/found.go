package consistency

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// search and goal: what is found is bounded from both sides, and an invalid one says why.
func (c *checker) search(s *record.Search, path string) {
	reasons := s.Reasons
	for _, g := range s.Goals {
		reasons = append(reasons[:len(reasons):len(reasons)], g.Reasons...)
	}
	c.judged(path, s.Valid, reasons)
	if s.Standard != "" && slices.ContainsFunc(s.Goals, func(g record.SearchGoal) bool { return g.Coarse() }) {
		c.say(path, "it has the name of %s, with bounds that are only %s", s.Standard, record.ReasonCoarse)
	}
	if s.MaxPPS > 0 && s.MinPPS > s.MaxPPS {
		c.say(path, "from %v to %v packets/s", s.MinPPS, s.MaxPPS)
	}
}

func (c *checker) goal(g *record.SearchGoal, path string) {
	c.judged(path, g.Valid, g.Reasons)
	c.ascending(path, "the lower bound", g.LowerPPS, "the upper bound", g.UpperPPS)
	if g.Valid && (!g.Regular && !g.Coarse() || g.LowerPPS <= 0) {
		c.say(path, "it is valid without a lower bound that holds: regular %v, %v packets/s", g.Regular, g.LowerPPS)
	}
	if g.Valid && g.Coarse() && (g.Regular || g.Verified || g.UpperPPS <= 0 || g.LowerPPS < (1-record.CoarsestBounds)*g.UpperPPS*(1-1e-9)) {
		c.say(path, "it is %s: regular %v, verified %v, between %v and %v packets/s", record.ReasonCoarse, g.Regular, g.Verified, g.LowerPPS, g.UpperPPS)
	}
}

// drift: a trend is named only where it is proven, and then its interval is on one side of 0.
func (c *checker) drift(d *record.Drift, path string) {
	if d.LowPerHr > d.PerHour || d.PerHour > d.HighPerHr {
		c.say(path, "%v an hour, between %v and %v", d.PerHour, d.LowPerHr, d.HighPerHr)
	}
	if d.Verdict == "rises" && d.PerHour <= 0 || d.Verdict == "falls" && d.PerHour >= 0 {
		c.say(path, "it %s by %v an hour", d.Verdict, d.PerHour)
	}
	if (d.Verdict == "rises" || d.Verdict == "falls") && d.P >= 0.05 {
		c.say(path, "it %s, with p = %v", d.Verdict, d.P)
	}
}

// safeLoad: the load lies in its interval, and where there is none no CPU is said of it.
func (c *checker) safeLoad(s *record.SafeLoad, path string) {
	c.ascending(path, "the lower bound", s.LowPPS, "the safe load", s.PPS, "the upper bound", s.HighPPS)
	if s.PPS == 0 && s.CPUCores > 0 {
		c.say(path, "%v cores at a load that there is not", s.CPUCores)
	}
}

// model: one that was rejected predicts nothing that is used.
func (c *checker) model(m *record.Model, path string) {
	if m.Chosen && m.Rejected != "" {
		c.say(path, "%s is chosen, and rejected as %s", m.Name, m.Rejected)
	}
	for i := range m.Curve {
		p := &m.Curve[i]
		if i > 0 && m.Curve[i-1].LoadPPS >= p.LoadPPS {
			c.say(path, "the loads of its curve are not ascending")
		}
		if p.Low != nil && p.High != nil {
			c.ascending(path, "the lower p99", p.Low.P99NS, "the upper p99", p.High.P99NS)
		}
	}
}
