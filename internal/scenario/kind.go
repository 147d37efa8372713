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
	// KindInterop plays the N4 conversations of SMFs.
	KindInterop Kind = "interop"
	// KindInstructions counts the instructions that a packet and a request of N4 take.
	KindInstructions Kind = "instructions"
)

// OfCases reports whether DUTs are held to cases, or to incidents, in place of loads. No
// reference is measured with them.
func (s *Scenario) OfCases() bool {
	return s.Kind != "" && s.Kind != KindLoad && s.Kind != KindInstructions
}

// Kind refuses what cases, and what counts instructions, do not go with.
func checkKind(s *Scenario, r *report) {
	if !s.OfCases() && len(s.Cases) > 0 {
		r.blame("cases are chosen, and a scenario of kind %s has none; set kind to behaviour, attack, "+
			"qos-accuracy, resilience or interop", []any{s.Kind}, "cases", "kind")
	}
	how := "once each"
	switch {
	case s.OfCases():
	case s.Kind == KindInstructions:
		how = "one at a time"
		checkCounting(s, r)
	default:
		return
	}
	for _, x := range []struct {
		set bool
		key string
	}{
		{s.OfCases() && s.Repeats > 1, "repeats"}, {s.Search.Preset != SearchOff, "search.preset"}, {s.Soak.Asked(), "soak.share"},
		{s.Stress.Asked(), "stress.arrivals"},
		{s.Control.Asked(), "control"}, {len(s.Flows) > 0, "flows"}, {s.RAN == RANExternal, "ran"},
		{s.Hosts != nil, "hosts"}, {s.TRex != nil, "trex"}, {s.Engine == EngineTRex, "engine"},
		{s.Kind == KindResilience && s.Sessions != 1, "sessions"}, // each incident has its own number
	} {
		if x.set {
			r.blame("a scenario of kind %s sends its own packets, %s; leave %s as load-latency has it", []any{s.Kind, how, x.key}, x.key, "kind")
		}
	}
}

// checkCounting refuses a virtual machine in which the clock would count what something else does meanwhile.
func checkCounting(s *Scenario, r *report) {
	guest := s.GuestOf()
	if guest.CPUs != 1 {
		r.blame("vm.cpus is %d, and instructions are counted by the clock of a virtual machine with one CPU, which does one thing at a time; "+
			"set vm.cpus to 1", []any{guest.CPUs}, "vm.cpus", "kind")
	}
	if guest.NIC != NICVeth {
		r.blame("vm.nic is %s, and QEMU moves a NIC's packets when it comes to it, not when the guest has executed so many instructions; "+
			"leave vm.nic at %s", []any{guest.NIC, NICVeth}, "vm.nic", "kind")
	}
	if e := s.Engine; e != EngineAuto && e != EngineAFPacket {
		r.blame("engine is %s, and a scenario of kind %s sends by packet sockets, one packet at a time; leave engine out", []any{e, s.Kind}, "engine", "kind")
	}
}
