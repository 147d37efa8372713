package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// circumstances lists how the two runs differ, and what they doubt themselves.
func circumstances(in inputs) []string {
	a, b := in.a.Result, in.b.Result
	if in.oneRun {
		return slices.Concat(doubts("the run", a), notes(a.Notes, a.Notes))
	}
	list := slices.Concat(hostsDiffer(a, b), SettingsDiffer(a.Settings, b.Settings))
	return slices.Concat(list, doubts("A", a), ownEnd("A", a), doubts("B", b), ownEnd("B", b), notes(a.Notes, b.Notes))
}

// hostsDiffer compares what on a machine can bend a number.
func hostsDiffer(a, b *record.Result) []string {
	h, g := a.Host, b.Host
	type fact struct{ what, a, b string }
	facts := []fact{
		{"scenario", a.Scenario, b.Scenario},
		{"upflab", tool(a.Tool), tool(b.Tool)},
		{"host", h.Hostname, g.Hostname}, {"OS", h.OS, g.OS}, {"kernel", h.Kernel, g.Kernel},
		{"CPU", h.CPU, g.CPU}, {"CPUs", fmt.Sprint(h.CPUs), fmt.Sprint(g.CPUs)},
		{"virtualization", h.Virtualization, g.Virtualization},
		{"placement", placement(h.Placement), placement(g.Placement)},
		{"clock source", h.Clocksource, g.Clocksource}, {"governor", h.Governor, g.Governor},
		{"idle CPUs", h.IdleWords(), g.IdleWords()}, {"preemption", h.Preemption, g.Preemption},
		{"BPF JIT", h.BPFJIT, g.BPFJIT},
		{"mitigations", sorted(h.Mitigations), sorted(g.Mitigations)},
		{"kernel command line", h.Cmdline, g.Cmdline},
	}
	if a.Engine.Name != "" && b.Engine.Name != "" { // results of before there was a choice have none
		facts = append(facts, fact{"traffic engine", a.Engine.Name, b.Engine.Name})
	}
	var list []string
	for _, f := range facts {
		if f.a != f.b {
			list = append(list, differs(f.what, f.a, f.b))
		}
	}
	return list
}

func tool(t record.Tool) string {
	return strings.Join(strings.Fields(t.Version+" "+t.Commit+" "+t.Go), " ")
}

func placement(p record.Placement) string {
	return fmt.Sprintf("%s, generator %v, sink %v, DUT %v", p.Kind, p.Senders(), p.Receivers(), p.DUT)
}

func sorted(all map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, key+": "+all[key])
	}
	return strings.Join(parts, "; ")
}

// doubts are those of one run.
func doubts(name string, r *record.Result) []string {
	const muchSteal = 0.01
	var list []string
	if !r.Complete {
		list = append(list, name+" is incomplete")
	}
	if r.Host.StealRatio > muchSteal {
		list = append(list, fmt.Sprintf("%s lost %.2g %% of its time to the hypervisor", name, r.Host.StealRatio*100))
	}
	return list
}

// ownEnd says of a run that its repeats were not so many by plan, which intervals between two runs take them to be.
func ownEnd(name string, r *record.Result) []string {
	if r.Until == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s made repeats until it knew enough (%d): intervals between two runs take that number for a planned one",
		name, r.Until.Repeats)}
}

// notes are what the runs say of themselves; what both say is said once.
func notes(a, b []string) []string {
	var list []string
	for _, note := range a {
		if slices.Contains(b, note) {
			list = append(list, "A and B: "+note)
		} else {
			list = append(list, "A: "+note)
		}
	}
	for _, note := range b {
		if !slices.Contains(a, note) {
			list = append(list, "B: "+note)
		}
	}
	return list
}

// drift is what wire, in which there is no UPF, shows of the machine.
func (c *Comparison) drift() []string {
	var moved []*Figure
	all := c.figures(Pair.Reference)
	for _, f := range all {
		if f.Verdict == Better || f.Verdict == Worse {
			moved = append(moved, f)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	most := slices.MaxFunc(moved, func(f, g *Figure) int {
		return cmp.Compare(math.Abs(f.test.diff.Value), math.Abs(g.test.diff.Value))
	})
	unit := "%"
	if most.Metric.Additive() {
		unit = "points"
	}
	return []string{fmt.Sprintf("wire itself changed in %d of %d figures, %s of %s by %+.1f %s: the machine was not the same in both runs",
		len(moved), len(all), most.Metric, Where(most.Kind, most.Direction, most.Load), most.Change().Value*100, unit)}
}

// frames lists where packets of the two sides differ in size.
func frames(pairs []dutPair) []string {
	var list []string
	for _, p := range pairs {
		matched, _, _ := match(groupsOf(p.A), groupsOf(p.B))
		for _, g := range matched {
			if what := sizes(g); what != "" && !slices.Contains(list, what) {
				list = append(list, what)
			}
		}
	}
	return list
}

func sizes(g groupPair) string {
	trials := slices.Concat(g.A.Valid, g.A.Invalid)
	others := slices.Concat(g.B.Valid, g.B.Invalid)
	a, b := trials[0], others[0]
	if a.FrameBytes == b.FrameBytes && a.RxFrameBytes == b.RxFrameBytes {
		return ""
	}
	return fmt.Sprintf("%s frames, towards the UPF and from it: A %d and %d B, B %d and %d B",
		g.A.Direction, a.FrameBytes, a.RxFrameBytes, b.FrameBytes, b.RxFrameBytes)
}

// Differences lists what else was not the same in two runs: machine, upflab, settings, and
// the version of a DUT, name:mode.
func Differences(a, b *record.Result, dut string) []string {
	var list []string
	if d, e := byLabel(a, dut), byLabel(b, dut); d != nil && e != nil && d.Version != e.Version {
		list = append(list, differs(dut, d.Version, e.Version))
	}
	return slices.Concat(list, hostsDiffer(a, b), SettingsDiffer(a.Settings, b.Settings))
}
