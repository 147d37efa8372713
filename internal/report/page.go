package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/upflab/upflab/internal/analysis"
	"github.com/upflab/upflab/internal/result"
)

// page is what the templates show: text and flags, nothing to compute.
type page struct {
	Title, Scenario, Run, Started, Machine, Version string
	Study                                           *result.Study
	Incomplete                                      string // why; "" when complete
	Trials                                          int
	Bad, Verdicts                                   []pageVerdict
	Directions                                      []string
	Repeated, HasReference                          bool
	LatencyAt                                       string
	Heads                                           []pageHead
	Loads, Latencies                                []pageTable
	Drops                                           []dropRow
	DUTs                                            []pageDUT
	Notes                                           []string
	Environment                                     []fact
	Command                                         string
	Settings                                        []string
	Charts                                          chartData
	Style                                           template.CSS
	Script                                          template.JS
}

// pageVerdict is a trial with its verdict in words.
type pageVerdict struct {
	DUT, Color, Name, Limited, LimitClass, Why string
	Repeat                                     int
	Valid                                      bool
}

// pageHead is a DUT's card.
type pageHead struct {
	DUT, Color, Version, State, Problem string
	Reference, Measured                 bool
	Figures                             []pageFigures
}

type pageFigures struct {
	figures
	Bar         int // percent of the reference, 0: none to compare with
	ShowProgram bool
}

// pageTable is the trials of a direction, by load.
type pageTable struct {
	Direction, Frames string
	Groups            []pageGroup
}

type pageGroup struct {
	Load string
	Rows []row
}

// pageDUT is what is told of a DUT besides its figures.
type pageDUT struct {
	DUT, Color, Version, State, Problem, Memory string
	Setup                                       []fact
	Log, Remarks, Files                         []string
}

func newPage(v view) (page, error) {
	css, err := style()
	if err != nil {
		return page{}, err
	}
	js, err := script()
	if err != nil {
		return page{}, err
	}
	p := page{
		Title: v.title(), Scenario: orNone(v.Scenario), Run: orNone(v.Run), Started: instant(v.Started), Machine: machine(v),
		Version: v.Tool.Version, Study: v.Study, Trials: len(v.verdicts()), Directions: v.Directions, Repeated: v.Repeated,
		Bad: pageVerdicts(v.Bad), Verdicts: pageVerdicts(v.verdicts()), Drops: v.drops(), Notes: v.Notes,
		Loads: v.tables(result.KindLoad, v.Loads), Latencies: v.tables(result.KindLatency, v.Latencies),
		Environment: v.environment(), Command: orNone(commandLine(v.Command)), Settings: printableLines(v.Settings),
		Charts: v.charts(), Style: css, Script: js,
	}
	p.fillDUTs(v)
	if !v.Complete {
		p.Incomplete = title(whyIncomplete(v))
	}
	return p, nil
}

func (p *page) fillDUTs(v view) {
	for _, h := range v.headlines() {
		p.Heads = append(p.Heads, newPageHead(h))
		p.HasReference = p.HasReference || h.DUT.Reference
		for _, f := range h.Figures {
			if p.LatencyAt == "" {
				p.LatencyAt = f.LatencyAt
			}
		}
	}
	for _, d := range v.DUTs {
		p.DUTs = append(p.DUTs, pageDUT{
			DUT: d.Label, Color: d.Color, Version: orNone(d.Version), State: d.state(), Problem: problem(d),
			Memory: d.memoryOf(), Setup: d.setupFacts(), Log: printableLines(d.LogTail), Remarks: d.Remarks, Files: d.Files,
		})
	}
}

func newPageHead(h headline) pageHead {
	head := pageHead{
		DUT: h.DUT.Label, Color: h.DUT.Color, Version: h.DUT.Version, State: h.DUT.state(), Problem: problem(h.DUT),
		Reference: h.DUT.Reference, Measured: len(h.DUT.Trials) > 0,
	}
	if h.DUT.Reference && h.DUT.Version == "" {
		head.Version = "reference, no UPF"
	}
	for _, f := range h.Figures {
		one := pageFigures{figures: f, ShowProgram: f.ProgramNS.Text != notMeasured}
		if !math.IsNaN(f.OfWire) {
			one.Bar = int(math.Round(min(f.OfWire, 1) * 100))
		}
		head.Figures = append(head.Figures, one)
	}
	return head
}

// problem is why a DUT is not well; "" when it is.
func problem(d dutView) string {
	switch {
	case d.Error != "":
		return printable(d.Error)
	case d.Status == result.StatusFailed:
		return "It failed; no reason was recorded."
	case d.Status == result.StatusInterrupted:
		return "The run was interrupted while or before this one was measured."
	default:
		return ""
	}
}

func machine(v view) string {
	return strings.Join([]string{orNone(v.Host.CPU), fmt.Sprintf("%d CPUs", v.Host.CPUs), "Linux " + orNone(v.Host.Kernel)}, ", ")
}

func pageVerdicts(list []verdict) []pageVerdict {
	all := make([]pageVerdict, len(list))
	for i, v := range list {
		all[i] = pageVerdict{
			DUT: v.DUT, Color: v.Color, Name: v.name(), Repeat: v.Repeat, Valid: v.Valid,
			Limited: orNone(v.LimitedBy), LimitClass: limitClass(v.LimitedBy), Why: verdictWords(v),
		}
	}
	return all
}

// limitClass is the style of a limit.
func limitClass(limitedBy string) string {
	switch limitedBy {
	case analysis.LimitDUT:
		return "dut-limit"
	case analysis.LimitNone:
		return "none"
	default:
		return "other"
	}
}

// tables lays out a kind of trial, a table for each direction.
func (v view) tables(kind string, loads []string) []pageTable {
	var tables []pageTable
	for _, direction := range v.Directions {
		table := pageTable{Direction: direction, Frames: title(framesOf(v, direction))}
		for _, load := range loads {
			if rows := v.rows(kind, direction, load); len(rows) > 0 {
				table.Groups = append(table.Groups, pageGroup{Load: load, Rows: rows})
			}
		}
		if len(table.Groups) > 0 {
			tables = append(tables, table)
		}
	}
	return tables
}

func (v view) rows(kind, direction, load string) []row {
	var rows []row
	for _, d := range v.DUTs {
		if r := d.row(kind, direction, load); r != nil {
			rows = append(rows, *r)
		}
	}
	return rows
}
