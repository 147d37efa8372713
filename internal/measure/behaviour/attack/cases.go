package attack

import (
	"math/rand/v2"

	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// Group describes the cases, as package cases does its groups.
func Groups() [][2]string {
	return [][2]string{{"attack", "Malformed and hostile inputs, and floods"}}
}

// Cases lists the cases, with how hard they are.
func Cases(o Options) []b.Case {
	return append(append(knownCases(), floodCases(o)...), []b.Case{
		{ID: "attack.pfcp", Title: "PFCP messages made by grammar and mutation do no harm",
			Clause: "TS 29.244 7.6; TS 33.117 4.4.4; TS 33.513 4.2.2.8",
			Upsets: true, Keeps: ".yaml", Lasts: o.For,
			Steps: func(*b.Fixture) []b.Step {
				return []b.Step{step("PFCP messages made by grammar and mutation", o, messages)}
			}},
		{ID: "attack.gtpu", Title: "GTP-U messages and packets made by grammar and mutation do no harm",
			Clause: "TS 29.281 11; TS 33.117 4.4.4; TS 33.513 4.2.2.8",
			Upsets: true, Keeps: ".yaml", Lasts: o.For,
			Steps: func(*b.Fixture) []b.Step {
				return []b.Step{step("GTP-U messages and IP packets made by grammar and mutation", o, packets)}
			}},
	}...)
}

// messages is the source of PFCP messages.
func messages(g *target, seed uint64) func() Input {
	m := g.seeded(seed)
	return func() Input { return Input{Port: N4, Data: m.next(g.peer.NextSequence())} }
}

// packets is the source of packets of the user plane.
func packets(g *target, seed uint64) func() Input {
	p := &packeteer{rng: rand.New(rand.NewPCG(seed, 1)), to: g}
	return p.next
}
