package measure

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/cli/outputs"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/calibration"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
)

// dryRun says what a run would do: it changes nothing and needs no root.
func dryRun(out io.Writer, p *plan.Plan, f runFlags) {
	s, o := p.Scenario, p.Outline()
	fmt.Fprintf(out, "%s: %s\n", s.Name, units.OrElse(s.Title, "no title"))
	if o.Until == "" {
		fmt.Fprintf(out, "\nDUTs, each visited once in each of %s:\n", units.Plural(o.Repeats, "repeat"))
	} else {
		fmt.Fprintf(out, "\nRepeats go on %s.\nDUTs, each visited once in each repeat:\n", o.Until)
	}
	for _, t := range p.Targets {
		fmt.Fprintf(out, "  %-16s %s\n", t.Label(), units.OrElse(t.Version, noVersion(t)))
	}
	outlineOrder(out, o, s.Seed)
	switch {
	case s.OfCases():
		fmt.Fprintf(out, "A visit brings the DUT up, runs %s on it one after the other, and takes it down.\n", units.Plural(o.Cases, o.Of))
	case s.RAN == scenario.RANExternal:
		fmt.Fprintln(out, "A visit measures what runs already, by the interfaces of external_ue.")
	default:
		fmt.Fprintf(out, "A visit brings the DUT up, sets %s up over PFCP, measures, and takes it down.\n", units.Plural(s.Sessions, "session"))
	}
	outlineTrials(out, o)
	if len(o.Flows) > 0 {
		fmt.Fprintf(out, "\nFlows of a visit: %d, over %s\n", len(o.Flows), units.Plural(o.Links, "kind of link"))
		for _, w := range o.Flows {
			fmt.Fprintf(out, "  %-5s %-9s %s\n", w.Kind, w.Direction, w.Duration)
		}
	}
	for _, text := range o.Open {
		fmt.Fprintf(out, "\nThe run decides: %s\n", text)
	}
	if len(s.Thresholds) > 0 {
		fmt.Fprintf(out, "\nThresholds, with exit status 4 when one fails:\n  %s\n", strings.Join(s.Thresholds, "\n  "))
		outlinePower(out, s, host.Facts())
	}
	outlineTime(out, o)
	outlineFiles(out, o, s, f)
	if s.RAN == scenario.RANExternal {
		fmt.Fprintln(out, "\nMachine: programs at both ends, and no setting is changed. What this machine lacks: upflab doctor")
		return
	}
	fmt.Fprintln(out, "\nMachine: network namespaces upflab-*, BPF programs, and settings of the kernel while it runs, all of it")
	fmt.Fprintln(out, "undone at the end (docs/security.md). What this machine lacks: upflab doctor")
}

// outlinePower says beforehand how far a figure has to be from its limit for a verdict: closer than what the machine
// differs by from itself there is none, whatever the repeats.
func outlinePower(out io.Writer, s *scenario.Scenario, h record.Host) {
	var known *record.Calibration
	if f, err := calibration.Load(calibration.Folder, h, time.Now()); err == nil {
		for _, c := range f.Calibrations() {
			fits := c.Bench == nil || (s.Engine == scenario.EngineAuto || string(s.Engine) == c.Bench.Engine) && s.Link == scenario.LinkVeth
			if known == nil && fits && time.Now().Before(c.Until()) {
				known = c
			}
		}
	}
	told := map[string]bool{}
	for _, t := range s.ThresholdsOf() {
		scatter := between.Of(known, t.Figure)
		reach := stats.Reach(scatter.SD, scatter.DF)
		if told[t.Figure.Name] || t.Operator == threshold.Equals || reach <= 0 {
			continue
		}
		told[t.Figure.Name] = true
		fmt.Fprintf(out, "%s within %.2g %% of its limit gets no verdict: %s.\n", t.Figure.Name, 100*reach, scatter.Words(known))
	}
}

// outlineOrder says in which order the DUTs are visited, of many repeats the first ones.
func outlineOrder(out io.Writer, o plan.Outline, seed int) {
	const most = 4
	if len(o.DUTs) < 2 {
		return
	}
	fmt.Fprintf(out, "Order of the visits, random by seed %d, each second repeat the reverse of the one before:\n", seed)
	for n, block := range o.Visits[:min(most, len(o.Visits))] {
		var labels []string
		for _, i := range block {
			labels = append(labels, o.DUTs[i])
		}
		fmt.Fprintf(out, "  %d: %s\n", n+1, strings.Join(labels, ", "))
	}
	if len(o.Visits) > most {
		fmt.Fprintln(out, "  and so on")
	}
}

// noVersion is said in place of a version.
func noVersion(t dut.Target) string {
	if _, err := t.Installed(); err != nil {
		return "not installed here"
	}
	return "version not known before"
}

func outlineTrials(out io.Writer, o plan.Outline) {
	if len(o.Trials) == 0 {
		return
	}
	fmt.Fprintf(out, "\nTrials of a visit: %d\n", len(o.Trials))
	for _, t := range o.Trials {
		load := t.Load.String()
		if t.Kind == record.KindLatency {
			load = "latency at " + load
		}
		fmt.Fprintf(out, "  %-9s %-18s %-14s %s\n", t.Direction, load, units.OrElse(t.Size, "-"), t.Duration)
	}
}

func outlineTime(out io.Writer, o plan.Outline) {
	if o.Until != "" {
		fmt.Fprintf(out, "\nTime: at most %s; a repeat takes about %s\n", o.Takes, o.Each.Round(time.Second))
		return
	}
	more := ""
	if len(o.Open) > 0 {
		more = ", with what is usual where the run decides"
	}
	fmt.Fprintf(out, "\nTime: about %s%s", o.Takes.Round(time.Second), more)
	if o.Longer {
		fmt.Fprint(out, "; at most three times as long, where the machine disturbs trials: they last longer, and are repeated")
	}
	fmt.Fprintln(out)
}

func outlineFiles(out io.Writer, o plan.Outline, s *scenario.Scenario, f runFlags) {
	dir := units.OrElse(f.out, filepath.Join("results", "TIME-"+s.Name))
	fmt.Fprintf(out, "\nFiles, in %s:\n  result.json  report.md  report.html\n", dir)
	if s.OfCases() {
		fmt.Fprintf(out, "  %s\n", outputs.JUnitFile)
	}
	for _, text := range f.outputs {
		if o, err := outputs.Parse(text); err == nil {
			fmt.Fprintf(out, "  %s\n", o.Place())
		}
	}
	for _, folder := range o.Folders {
		fmt.Fprintf(out, "  %s/  configuration and logs\n", folder)
	}
}
