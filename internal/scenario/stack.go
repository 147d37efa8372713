package scenario

import (
	"cmp"
	"fmt"
	"strings"
)

// Stack is the IP of a measurement: of the UEs, and of the network around the UPF where that is not IPv4.
type Stack string

// The stacks.
const (
	StackIPv4         Stack = "ipv4"
	StackIPv6         Stack = "ipv6"
	StackBoth         Stack = "both"
	StackIPv4OverIPv6 Stack = "ipv4-over-ipv6"
	StackIPv6OverIPv6 Stack = "ipv6-over-ipv6"
	StackBothOverIPv6 Stack = "both-over-ipv6"
)

// parts are the family of the UEs, and what N3 and N4 are of.
func (s Stack) parts() (Family, Transport) {
	ues, around, _ := strings.Cut(string(s), "-over-")
	return Family(ues), Transport(cmp.Or(around, string(TransportIPv4)))
}

// Stacks are the scenarios of each of the families: the scenario alone where it compares none.
func (s *Scenario) Stacks() (list []*Scenario) {
	if len(s.Families) == 0 {
		return []*Scenario{s}
	}
	for _, stack := range s.Families {
		one := *s
		one.Families = []Stack{stack}
		one.UE.Family, one.Transport = stack.parts()
		list = append(list, &one)
	}
	return list
}

// some is the first stack that has something; nil: none has it.
func some(s *Scenario, has func(*Scenario) bool) *Scenario {
	for _, one := range s.Stacks() {
		if has(one) {
			return one
		}
	}
	return nil
}

// stackKey is the key that a stack was asked for by: key, or families.
func stackKey(s *Scenario, key string) string {
	if len(s.Families) > 0 {
		return "families"
	}
	return key
}

// eachStack holds the scenario of each family against a check, until one is found wrong.
func eachStack(check func(*Scenario, *report)) func(*Scenario, *report) {
	return func(s *Scenario, r *report) {
		before := len(r.problems)
		for _, one := range s.Stacks() {
			if check(one, r); len(r.problems) > before {
				return
			}
		}
	}
}

// checkStacks refuses what does not compare families.
func checkStacks(s *Scenario, r *report) {
	if len(s.Families) == 0 {
		return
	}
	for _, x := range []clash{
		{s.Kind != KindLoad, fmt.Sprintf("a scenario of kind %s does not compare them", s.Kind), "kind"},
		{len(s.Flows) > 0, "applications at UEs (flows) choose theirs by ue.family", "flows"},
		{s.RAN == RANExternal, "UEs of another RAN (ran: external) have theirs", "ran"},
		{s.Stress.Asked(), "a stress study has sessions of one family", "stress.arrivals"},
		{s.Control.Asked(), "a study of the control plane has sessions of one family", "control.procedures"},
		{s.Search.Preset != SearchOff, "a search has sessions of one family", "search.preset"},
		{s.Soak.Asked(), "a soak has sessions of one family", "soak.share"},
		{s.Until.Asked(), "a run that ends when it is decided compares two UPFs", "until.at_most"},
		{s.Arrivals == Replay, "a capture that is replayed is sent to sessions of one family", "arrivals"},
	} {
		if x.asked {
			r.blame("families are compared, but %s; leave families out, and set ue.family and transport", []any{x.what}, "families", x.key)
			return
		}
	}
	if s.UE.Family.IPv6() || s.Transport.IPv6() {
		r.blame("families are compared, which ue.family and transport change nothing in; leave them or families out", nil,
			"ue.family", "transport", "families")
	}
}
