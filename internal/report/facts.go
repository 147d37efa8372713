package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fact is a named property of the environment.
type fact struct{ Name, Value string }

// environment lists what on the machine can bend a number.
func (v view) environment() []fact {
	h := v.Host
	facts := []fact{
		{"Host", h.Hostname}, {"OS", h.OS}, {"Kernel", h.Kernel},
		{"CPU", fmt.Sprintf("%s, %d online", orNone(h.CPU), h.CPUs)},
		{"Memory", size(h.MemoryBytes)},
		{"Virtualization", h.Virtualization},
		{"Placement", placementWords(v)},
		{"Engine", engineWords(v)},
		{"Stolen time", percent(h.StealRatio) + " % of the run"},
		{"Clock source", h.Clocksource}, {"Governor", h.Governor}, {"Idle CPUs", h.IdleWords()},
		{"Preemption", h.Preemption}, {"BPF JIT", h.BPFJIT},
		{"Mitigations", mitigations(h.Mitigations)},
		{"Kernel command line", h.Cmdline},
		{"upflab", strings.Join(strings.Fields(v.Tool.Version+" "+v.Tool.Commit+" "+v.Tool.Go), ", ")},
	}
	for i := range facts {
		facts[i].Value = orNone(facts[i].Value)
	}
	return facts
}

func placementWords(v view) string {
	p := v.Host.Placement
	return fmt.Sprintf("%s: generator on CPU %d, sink on CPU %d, DUT on %s", orNone(p.Kind), p.Generator, p.Sink, cpuList(p.DUT))
}

func engineWords(v view) string {
	if v.Engine.Name == "" {
		return "" // of before there was a choice
	}
	return v.Engine.Name + ": " + v.Engine.Why
}

func mitigations(all map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, name+": "+all[name])
	}
	return strings.Join(parts, "; ")
}

// setupFacts are the figures of coming up; those of the reference are the
// testbed's.
func (d dutView) setupFacts() []fact {
	s := d.Setup
	facts := []fact{{"Testbed", seconds(s.TestbedSeconds)}, {"Start", seconds(s.StartSeconds)}}
	idle := []fact{{"Cores, idle", idleCores(s.IdleCores)}, {"Cores, idle after", idleCores(s.IdleAfterCores)}}
	if s.Sessions == 0 {
		facts = append(facts, fact{"Sessions", "0"}, fact{"Provisioned in", notMeasured}, fact{"Sessions/s", notMeasured})
		return append(facts, idle...)
	}
	facts = append(facts, fact{"Sessions", count(uint64(max(s.Sessions, 0)))},
		fact{"Provisioned in", seconds(s.ProvisionSeconds)}, fact{"Sessions/s", perSecond(s.SessionsPerS)})
	return append(facts, idle...)
}

// idleCores is what a DUT used without traffic.
func idleCores(c *float64) string {
	if c == nil {
		return notMeasured
	}
	return number(*c, "%.3f")
}

func perSecond(rate float64) string {
	if rate <= 0 {
		return notMeasured
	}
	return number(rate, "%.0f")
}

// memoryOf is the most memory the DUT took in a trial.
func (d dutView) memoryOf() string {
	most := uint64(0)
	for i := range d.Trials {
		most = max(most, d.Trials[i].MemoryBytes)
	}
	if most == 0 {
		return notMeasured
	}
	return size(most)
}
