package scenario

// Kind is what is done with each DUT of a run.
type Kind string

// The kinds. A load is whatever sends user traffic: trials, searches, soaks, studies, flows.
const (
	KindLoad       Kind = "load"
	KindBehaviour  Kind = "behaviour"
	KindAttack     Kind = "attack"
	KindQoS        Kind = "qos-accuracy"
	KindResilience Kind = "resilience"
)

// OfCases reports whether DUTs are held to cases, or to incidents, in place of loads. No
// reference is measured with them.
func (s *Scenario) OfCases() bool { return s.Kind != "" && s.Kind != KindLoad }

// kind refuses what cases do not go with.
func (c *checker) kind() {
	s := c.s
	if !s.OfCases() {
		if len(s.Cases) > 0 {
			c.blame("cases are chosen, and a scenario of kind load has none; set kind to behaviour, attack, "+
				"qos-accuracy or resilience", nil, "cases", "kind")
		}
		return
	}
	for _, x := range []struct {
		set bool
		key string
	}{
		{s.Repeats > 1, "repeats"}, {s.Search.Preset != SearchOff, "search.preset"}, {s.Soak.Asked(), "soak.share"},
		{s.Stress.Asked(), "stress.arrivals"},
		{s.Control.Asked(), "control"}, {len(s.Flows) > 0, "flows"}, {s.RAN == RANExternal, "ran"},
		{s.Hosts != nil, "hosts"}, {s.TRex != nil, "trex"}, {s.Engine == EngineTRex, "engine"},
		{s.Kind == KindResilience && s.Sessions != 1, "sessions"}, // each incident has its own number
	} {
		if x.set {
			c.blame("a scenario of kind %s sends its own packets, once each; leave %s as load-latency has it", []any{s.Kind, x.key}, x.key, "kind")
		}
	}
}
