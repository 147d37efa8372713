// Package cases is the behaviour cases that upflab has.
package cases

import (
	"slices"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/selection"
)

// Short names, as every case uses them.
type (
	Case    = behaviour.Case
	fixture = behaviour.Fixture
	step    = behaviour.Step
	need    = behaviour.Need
)

// Groups describes the groups in their order: the part of an ID before the first dot.
func Groups() [][2]string {
	return [][2]string{
		{"pdr", "Packet detection"},
		{"far", "Forwarding, buffering, path switch"},
		{"qer", "QoS enforcement"},
		{"urr", "Usage reporting"},
		{"fteid", "Addresses that the UPF gives"},
		{"session", "Sessions: change, atomicity, removal, others' traffic"},
		{"n4", "PFCP: associations, restarts, bad messages"},
		{"gtpu", "GTP-U"},
		{"ip", "The UEs' packets"},
		{"leak", "What stays of sessions that are gone"},
		{"scas", "Security assurance (TS 33.513, TS 33.117)"},
		{"ipv6", "The same of UEs with IPv6"},
	}
}

// All lists the cases in the order of the groups.
func All() []Case {
	return inBoth(slices.Concat(pdr(), endpoints(), sdf(), far(), outer(), buffering(), qer(), rates(), urr(), triggers(),
		fteid(), modification(), sessions(), node(), gtpu(), properties(), ip(), router(), relayed(), leaks(), scas()))
}

// inBoth adds the cases of UEs with IPv6 behind all others. A UPF may refuse such UEs.
func inBoth(list []Case) []Case {
	for _, c := range list { // those that are added are not ranged over
		if c.Both {
			c.ID, c.Title, c.Family, c.Need = "ipv6."+c.ID, c.Title+"; of UEs with IPv6", scenario.FamilyIPv6, need{Optional: true}
			list = append(list, c)
		}
	}
	return list
}

// Select gives the cases with the IDs, or in the groups, that are named; all when none
// is.
func Select(names []string) ([]Case, error) {
	return selection.Of(All(), func(c *Case) string { return c.ID }, "behaviour case", names)
}

// with is the plain rules of the case's first UE, changed.
func with(g *fixture, change func(*rules.Session)) rules.Session {
	s := behaviour.Plain(g.UE(0), g)
	change(&s)
	return s
}

// steps makes a case's steps of the first UE's.
func steps(of func(u *behaviour.UE, g *fixture) []step) func(*fixture) []step {
	return func(g *fixture) []step { return of(g.UE(0), g) }
}

// second is another tunnel, to the other gNB.
func second(u *behaviour.UE, g *fixture) rules.Tunnel {
	return rules.Tunnel{TEID: u.Tunnel + 0x10000, Peer: g.GNB(1)}
}
