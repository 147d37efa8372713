package report

import (
	"html/template"

	"github.com/upflab/upflab/internal/record"
)

// page is what the templates show: text and flags, nothing to compute.
type page struct {
	Title, Scenario, Run, Started, Machine, Version string
	Study                                           *record.Study
	Incomplete                                      string // why; "" when complete
	Trials                                          int
	Bad, Verdicts                                   []pageVerdict
	Directions                                      []string
	Repeated, HasReference                          bool
	LatencyAt                                       string
	Heads                                           []pageHead
	Loads, Latencies                                []pageTable
	Searches                                        []pageSearches
	LossCurves, Bursts                              []pageSearches
	SearchTitle                                     string
	Searched                                        bool
	BadRates, Rates                                 int      // of searches
	Parts                                           []string // of CPU time
	Soaks                                           []soakView
	Evidence                                        []evidenceRow
	EvidenceHeads                                   []string
	Variations                                      []evidenceRow
	VariationHeads                                  []string
	VariationNote                                   string
	Drops                                           []dropRow
	DUTs                                            []pageDUT
	Notes                                           []string
	Published                                       []publishedStudy
	PublishedRule                                   string
	Environment                                     []fact
	Command                                         string
	Settings                                        []string
	Sizes                                           []page // of each size the tables, where there are several
	About                                           []string
	Overview                                        []sizeLine
	Apart                                           []apartRow
	HasCurves, HasLoss, HasSearches                 bool // charts of them
	HasSeries, HasSide                              bool
	Side                                            []sideLine
	SideHeads                                       []sideHead
	SideWords                                       string
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
	Bar         int  // percent of the reference, 0: none to compare with
	OfNDR       bool // the bar compares non-drop rates
	ShowProgram bool
	ShowWire    bool
}

// pageSearches is what searches found in a direction.
type pageSearches struct {
	Direction string
	Searches  []*searchView
}

// pageTable is the trials of a direction, by load.
type pageTable struct {
	Direction, Frames string
	Parts             []string // of CPU time
	Groups            []pageGroup
}

type pageGroup struct {
	Load string
	Rows []row
}

// sideHead heads a column of the UPFs side by side.
type sideHead struct{ DUT, Color string }

// pageDUT is what is told of a DUT besides its figures.
type pageDUT struct {
	DUT, Color, Version, State, Problem, Memory string
	Setup                                       []fact
	Log, Remarks, Files                         []string
}
