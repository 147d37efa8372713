// Package sections is what reports are made of. A section is a function in a file of
// its own, from a run to neutral blocks; here is the list of them, in the order of the
// report. Folders group them by what they are made from.
//
// A report answers first: one sentence for each UPF, a line on what was not valid,
// then charts, tables, and last what is needed to judge and to repeat the run.
package sections

import (
	"errors"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/behaviour"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/report/sections/controlplane"
	"github.com/upflab/upflab/internal/report/sections/flows"
	"github.com/upflab/upflab/internal/report/sections/resilience"
	"github.com/upflab/upflab/internal/report/sections/run"
	"github.com/upflab/upflab/internal/report/sections/searches"
	"github.com/upflab/upflab/internal/report/sections/stress"
	"github.com/upflab/upflab/internal/report/sections/studies"
	"github.com/upflab/upflab/internal/report/sections/sweep"
	"github.com/upflab/upflab/internal/report/sections/trials"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// Section makes one section of a run; without a block it is left out.
type Section func(*view.Run) block.Section

// Options say what is in a report besides its result.
type Options struct {
	// Published are the figures of others, for the UPFs of the result.
	Published []published.Study
}

// first are the answers.
func first() []Section {
	return []Section{run.Answers, run.Until, run.Thresholds, run.Validity, run.Differences, trials.Instructions, run.Sizes, comparison.Families, behaviour.Matrix,
		behaviour.Inputs, behaviour.Floods, behaviour.Rates, behaviour.Flows, behaviour.Usages, behaviour.Telemetry, behaviour.IPsec,
		behaviour.Findings, behaviour.Features,
		controlplane.Incidents, controlplane.Rates, controlplane.Loads, controlplane.Capacity, controlplane.Beside, controlplane.Scales,
		resilience.Incidents, resilience.Handovers, resilience.Buffers, resilience.Course}
}

// applications are the sections on flows.
func applications() []Section {
	return []Section{flows.TCP, flows.UDP, flows.Ping, flows.Pages, flows.Calls, flows.XR, flows.UnderLoad, flows.OneWay, flows.Handover, flows.OverTime}
}

// The sections that mix no sizes of packets are made for each size: what compares the UPFs first, then
// charts in the order of what people ask, and folded what few ask for: more charts, and tables of trials.
func compared() []Section {
	return append(applications(), run.Summary, sweep.Findings, searches.Rates, searches.LossCurve, searches.Bursts)
}

func charts() []Section {
	return []Section{trials.Received, sweep.Throughput, sweep.Loss, trials.LatencyByLoad, sweep.Latency, sweep.Percentiles,
		trials.CPUByLoad, sweep.CPU}
}

func moreCharts() []Section {
	return []Section{sweep.AtUPF, sweep.Service, sweep.Residuals, sweep.Heat, searches.Steps, sweep.Memory, sweep.CPUOverTime,
		sweep.Timelines, trials.OverTime}
}

func raw() []Section {
	return []Section{trials.Models, trials.Classes, trials.Load, trials.AtDUT, trials.Hardware, trials.Resources, trials.Counters,
		trials.Latency, trials.RoundTrip, trials.PerDirection, trials.Hosts, trials.Queues, trials.Lines, trials.CPUBreakdown}
}

// last are what is needed to judge and to repeat the run, most of it folded.
func last(v *view.Run, o Options) []block.Section {
	return slices.Concat(
		made(v, []Section{studies.Repeated, trials.Soak, studies.Published(o.Published), run.Failures}),
		folded(made(v, []Section{stress.Study, trials.Drops, trials.Verdicts, trials.Evidence, trials.Variation, run.KnownFigures, run.Uncertainty, run.Causes, run.Reasons,
			flows.Invalid, run.Traffic, run.UPFs, run.Setup, run.Cluster, run.Environment})),
		made(v, []Section{run.Repeat, run.Notes}))
}

var errNoResult = errors.New("there is no result to report: load result.json first")

// Report is the report of a result.
func Report(r *record.Result, o Options) (block.Document, error) {
	if r == nil {
		return block.Document{}, errNoResult
	}
	v := view.New(r)
	d := block.Document{Title: run.Title(v), Meta: run.Meta(v), Maker: strings.TrimSpace("upflab " + r.Tool.Version)}
	d.Sections = append(d.Sections, made(v, first())...)
	for i, part := range v.Parts() {
		d.Sections = append(d.Sections, perPart(part, i == 0)...)
	}
	d.Sections = append(d.Sections, last(v, o)...)
	return d, nil
}

// Headline is the answers of a result alone, and what is wrong with them.
func Headline(r *record.Result) block.Document {
	return block.Document{Sections: made(view.New(r), []Section{run.Answers, run.Until, run.Thresholds, run.Validity})}
}

// made are the sections that have something to show.
func made(v *view.Run, sections []Section) (list []block.Section) {
	for _, of := range sections {
		if s := of(v); len(s.Blocks) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// folded are sections that are closed until a reader opens them.
func folded(list []block.Section) []block.Section {
	for i := range list {
		list[i].Fold = true
	}
	return list
}

// perPart is what there is of one size or arrival process; where there are several, that of the first
// sweep is open.
func perPart(v *view.Run, first bool) []block.Section {
	drawn, more := block.Section{Title: "Charts"}, block.Section{Title: "More charts", Fold: true}
	few, many := slices.Concat([]Section{run.SummaryChart}, charts(), []Section{trials.Distribution}), moreCharts()
	if v.Swept() { // the charts over load say more than those of one load
		few, many = charts(), slices.Concat([]Section{run.SummaryChart, trials.Distribution}, moreCharts())
	}
	tables := takeFigures(&drawn, append(made(v, compared()), made(v, few)...))
	closed := takeFigures(&more, made(v, many))
	closed = append(closed, takeFigures(&more, made(v, raw()))...)
	all := append(append(tables, drawn, more), folded(closed)...)
	if v.Part() == "" {
		return all
	}
	whole := block.Section{Title: v.Part(), Fold: !v.Swept() || !first,
		Blocks: []block.Block{block.Note{Tone: block.Muted, Text: strings.Join(v.Frames(), "; ")}}}
	for _, s := range all {
		whole.Blocks = append(whole.Blocks, s)
	}
	return []block.Section{whole}
}

// takeFigures moves the figures of sections to another one.
func takeFigures(into *block.Section, from []block.Section) (rest []block.Section) {
	for _, s := range from {
		var others []block.Block
		for _, b := range s.Blocks {
			if _, figure := b.(block.Figure); figure {
				into.Blocks = append(into.Blocks, b)
			} else {
				others = append(others, b)
			}
		}
		s.Blocks = others
		rest = append(rest, s)
	}
	return rest
}

// Models is the report of queueing models that were fitted to a table of one device.
func Models(label string, models []record.Model, safe []record.SafeLoad) block.Document {
	d := &view.UPF{DUT: &record.DUT{Models: models, SafeLoads: safe}, Label: label}
	v := &view.Run{Result: &record.Result{}, UPFs: []*view.UPF{d}, Directions: []record.Direction{""}}
	return block.Document{Title: "Queueing models of " + label, Sections: []block.Section{trials.Models(v)}}
}

// Thresholds is the report of a result's thresholds alone.
func Thresholds(r *record.Result) block.Document {
	v := view.New(r)
	return block.Document{Title: run.Title(v), Meta: run.Meta(v),
		Maker: strings.TrimSpace("upflab " + r.Tool.Version), Sections: made(v, []Section{run.Thresholds})}
}
