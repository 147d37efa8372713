package scenario

import (
	"fmt"
	"slices"
)

// MaxClasses is how many classes of traffic a stress study has at most.
const MaxClasses = 16

// Class is a class of traffic: the sessions with one QFI in one Network Instance.
type Class struct {
	QFI             uint8
	NetworkInstance string
}

// Classes are those of the sessions, that of the first session first.
func (s *Scenario) Classes() (list []Class) {
	for i := range min(s.Sessions, s.turn()) {
		if c := s.classOf(i); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// ClassTurn is the class of each session, as its place in Classes: session i has that of
// i % len.
func (s *Scenario) ClassTurn() (turn []uint8) {
	all := s.Classes()
	for i := range min(s.Sessions, s.turn()) {
		turn = append(turn, uint8(slices.Index(all, s.classOf(i))))
	}
	return turn
}

// ClassName is how a class is called among the scenario's: by what they differ in.
func (s *Scenario) ClassName(c Class) string {
	qfi := fmt.Sprintf("QFI %d", c.QFI)
	all := s.Classes()
	differ := func(of func(Class) any) bool {
		return slices.ContainsFunc(all, func(o Class) bool { return of(o) != of(c) })
	}
	switch {
	case !differ(func(c Class) any { return c.NetworkInstance }):
		return qfi
	case !differ(func(c Class) any { return c.QFI }):
		return c.NetworkInstance
	}
	return qfi + " in " + c.NetworkInstance
}

func (s *Scenario) classOf(i int) Class { return Class{s.QFIOf(i), s.InstanceOf(i)} }

// turn is after how many sessions the classes come again.
func (s *Scenario) turn() int {
	a, b := max(1, len(s.QFIs)), len(s.InstancesOf())
	n := a
	for n%b != 0 {
		n += a
	}
	return n
}

// checkClasses checks several classes of traffic in a stress study.
func checkClasses(s *Scenario, r *report) {
	if !s.Stress.Asked() {
		checkNoClasses(s, r)
		return
	}
	if n := len(s.QFIs); n > s.Sessions {
		r.blame("qfis has %d, and there are %d sessions, which get them in turn; set sessions to %d or more",
			[]any{n, s.Sessions, n}, "qfis", "sessions")
	}
	if n := len(s.NetworkInstances); n > s.Sessions {
		r.blame("network_instances has %d, and there are %d sessions, which get them in turn; set sessions to %d or more",
			[]any{n, s.Sessions, n}, "network_instances", "sessions")
	}
	n := len(s.Classes())
	if n > MaxClasses {
		r.blame("qfis and network_instances make %d classes of traffic, and a stress study has at most %d; "+
			"leave some out", []any{n, MaxClasses}, "qfis", "network_instances")
	}
	if n > 1 && s.Stress.Taps == 0 {
		r.blame("stress.taps is 0, and %d classes of traffic are told apart by what is timed at the UPF; set "+
			"stress.taps to 16, or give all sessions one QFI and one slice",
			[]any{n}, "stress.taps", "qfis")
	}
}

func checkNoClasses(s *Scenario, r *report) {
	if len(s.QFIs) > 0 {
		r.blame("qfis are for flows or a stress study, and there are none; set qfi in place of qfis", nil, "qfis")
	}
	if len(s.NetworkInstances) > 0 {
		r.blame("network_instances are for flows or a stress study, and there are none; set n4.network_instance "+
			"in their place", nil, "network_instances")
	}
}
