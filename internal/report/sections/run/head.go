package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Title names the report.
func Title(v *view.Run) string {
	return units.OrElse(v.Title, units.OrElse(v.Scenario, "upflab report"))
}

// Meta is what was run, when and on what.
func Meta(v *view.Run) []block.Fact {
	h := v.Host
	return []block.Fact{
		{Name: "scenario", Value: units.OrNone(v.Scenario)}, {Name: "run", Value: units.OrNone(v.Run)},
		{Name: "from", Value: units.Instant(v.Started)}, {Name: "to", Value: units.Instant(v.Finished)},
		{Name: "on", Value: fmt.Sprintf("%s, %d CPUs, Linux %s", units.OrNone(h.CPU), h.CPUs, units.OrNone(h.Kernel))},
		{Name: "by", Value: strings.TrimSpace("upflab " + v.Tool.Version)},
	}
}

// Traffic is whose measurement the run repeats, what the packets were and what sent
// them.
func Traffic(v *view.Run) block.Section {
	s := block.Section{Title: "Traffic"}
	if study := v.Study; study != nil {
		s.Blocks = append(s.Blocks,
			block.Note{Text: fmt.Sprintf("Repeats the measurement of %s, %s (%d),", study.Authors, study.Title,
				study.Year), URL: study.URL, Only: block.Pages})
	}
	lines := v.Frames()
	if len(v.Sizes) > 0 {
		var names []string
		for _, one := range v.Sizes {
			names = append(names, one.Size)
		}
		lines = []string{units.Plural(len(names), "size") + ": " + strings.Join(names, ", ")}
	}
	if len(lines) == 0 {
		return families(s, v)
	}
	if process := arrivals(v); process != "" {
		lines = append(lines, "arrivals: "+process)
	}
	lines = append(lines, placed(v))
	if e := engine(v.Engine); e != "" {
		lines = append(lines, "sent and received by "+e+copies(v))
	}
	s.Blocks = append(s.Blocks, block.List{Items: block.Texts(append(lines, view.FamilyLines(v.Families)...))})
	return s
}

// families adds what IP the packets of cases and incidents had where that is not IPv4.
func families(s block.Section, v *view.Run) block.Section {
	if lines := view.FamilyLines(v.Families); len(lines) > 0 {
		s.Blocks = append(s.Blocks, block.List{Items: block.Texts(lines)})
	}
	return s
}

// placed is which CPUs sent and which the UPF had. A UPF that upflab did not start is where its
// owner put it.
func placed(v *view.Run) string {
	p := v.Host.Placement
	if slices.ContainsFunc(v.UPFs, func(d *view.UPF) bool { return !d.External() }) {
		return fmt.Sprintf("generator on %s, UPF on %s", cpus(p.Senders()), cpus(p.DUT))
	}
	return placement(p.WithoutDUT())
}

// arrivals is how packets lie in time, the same in all trials of a run; "" where all
// gaps are equal, and in old results.
func arrivals(v *view.Run) string {
	for _, t := range v.Verdicts() {
		switch a := t.Arrivals; {
		case a == nil || a.Process == record.SingleBurst:
		case a.Seed > 0:
			return a.Process + ", a seed for each direction, load and repeat"
		case a.BurstPackets > 0:
			return fmt.Sprintf("%s of %d packets", a.Process, a.BurstPackets)
		case a.OnS > 0:
			return fmt.Sprintf("%s, %s on, %s off", a.Process, units.Seconds(a.OnS), units.Seconds(a.OffS))
		default:
			return a.Process
		}
	}
	return ""
}
