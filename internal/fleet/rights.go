package fleet

// Rights is what an agent's connection may publish and listen to. It asks the hub, and leads
// measurements or takes part in them; nothing of JetStream is among it. What it asks goes to
// the hub's front, which decides what happens and answers to the agent's own inbox alone.
type Rights struct{ Publish, Subscribe []string }

// RightsOf are those of an agent that serves testbeds, and leads measurements with others.
// An agent must not be allowed to answer whatever it is asked (allow_responses): two of them
// could then publish anywhere, one by asking with a reply subject for the other.
func RightsOf(agent string, testbeds, with []string) Rights {
	r := Rights{Publish: []string{AskSubject(agent, "*")}, Subscribe: []string{InboxPrefix(agent) + ".>"}}
	for _, t := range with {
		r.Publish = append(r.Publish, PartSubject(t, "*"))
	}
	if len(with) > 0 {
		r.Subscribe = append(r.Subscribe, answerSubject(agent, "*", "*"))
	}
	for _, t := range testbeds {
		r.Subscribe = append(r.Subscribe, PartSubject(t, "*"))
		r.Publish = append(r.Publish, answerSubject("*", t, "*"))
	}
	return r
}
