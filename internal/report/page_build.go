package report

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

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
		Loads: v.tables(record.KindLoad, v.Loads), Latencies: v.tables(record.KindLatency, v.Latencies),
		Environment: v.environment(), Command: orNone(commandLine(v.Command)), Settings: printableLines(v.Settings),
		Charts: v.charts(), Style: css, Script: js,
	}
	p.SearchTitle = v.searchTitle()
	p.LossCurves, p.Bursts = v.otherTables(methodLossCurve), v.otherTables(methodBackToBack)
	p.Searches, p.Searched, p.HasReference, p.Parts = v.searchTables(), v.Searched, v.HasReference, v.Parts
	p.Soaks = v.soaks()
	p.Published, p.PublishedRule = v.Published, publishedRule
	p.Evidence, p.EvidenceHeads = v.evidences(), evidenceHeads()
	p.Variations, p.VariationHeads, p.VariationNote = v.variations(), variationHeads(), variationNote
	p.BadRates, p.Rates = v.badSearches()
	for _, one := range v.Sizes {
		p.Sizes = append(p.Sizes, sizePage(one))
	}
	p.Overview, p.Apart = v.sizeLines(), v.apart()
	p.setCharts(v)
	p.setSide(v)
	p.fillDUTs(v)
	if !v.Complete {
		p.Incomplete = whyIncomplete(v)
	}
	return p, nil
}

// sizePage is the tables of one size.
func sizePage(v view) page {
	p := page{
		Title: v.Size, About: v.sizeWords(), Directions: v.Directions, Repeated: v.Repeated, HasReference: v.HasReference,
		Loads: v.tables(record.KindLoad, v.Loads), Latencies: v.tables(record.KindLatency, v.Latencies),
		Searches: v.searchTables(), Searched: v.Searched, Parts: v.Parts, Apart: v.apart(),
		LossCurves: v.otherTables(methodLossCurve), Bursts: v.otherTables(methodBackToBack),
	}
	p.setSide(v)
	return p
}

// setSide is the table of UPFs side by side, unless it would mix sizes.
func (p *page) setSide(v view) {
	if len(v.Sizes) > 0 {
		return
	}
	p.Side, p.SideWords = v.sideLines(), v.spanWords()
	for _, d := range v.DUTs {
		p.SideHeads = append(p.SideHeads, sideHead{DUT: d.Label, Color: d.Color})
	}
}

// setCharts tells which charts some size has.
func (p *page) setCharts(v view) {
	for _, one := range v.parts() {
		c := one.chartsOfOne()
		p.HasCurves = p.HasCurves || len(c.Curve) > 0
		p.HasLoss = p.HasLoss || len(c.Loss) > 0
		p.HasSearches = p.HasSearches || len(c.Searches) > 0
		p.HasSeries = p.HasSeries || len(c.Series.Names) > 0
		p.HasSide = p.HasSide || len(c.Side) > 0
	}
}

func (p *page) fillDUTs(v view) {
	for _, h := range v.headlines() {
		p.Heads = append(p.Heads, newPageHead(h))
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

func machine(v view) string {
	return strings.Join([]string{orNone(v.Host.CPU), fmt.Sprintf("%d CPUs", v.Host.CPUs), "Linux " + orNone(v.Host.Kernel)}, ", ")
}
