package trends

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/text/units"
)

// sparkRuns is how many runs a line in the list shows, the run itself included.
const sparkRuns = 24

// list is the table of a page: a row for each UPF of each run, newest first, with the figures that
// are asked for first. n is how many runs it has, of how many that could be shown.
func (h History) list() (t block.Table, n, of int) {
	t = block.Table{Only: block.HTML, Filtered: true,
		Columns: []block.Column{block.Merged("Started, UTC"), block.Merged("Verdict"),
			block.Words("UPF"), block.Number("Rate", "uplink / downlink"), block.Number("Latency p99", ""),
			block.Number("Frame loss", "of paced loads"), block.Words("Rates so far"), block.Words("Scenario")},
		Stacked: true}
	past := h.past()
	for _, r := range slices.Backward(h.Runs) {
		if r.Unreadable != "" || !h.Only.Takes(r) {
			continue
		}
		of++
		if h.Newest > 0 && n == h.Newest {
			continue
		}
		n++
		started, verdict := h.runCell(r), h.verdict(r)
		started.Text, started.Note = strings.TrimSuffix(started.Text, " UTC"), block.Printable(r.Path)
		for _, d := range measured(r) {
			t.Rows = append(t.Rows, block.Row{Cells: []block.Cell{started, verdict,
				{Text: block.Printable(d.Label), Note: block.Printable(d.Version)}, rates(d.Headline), delay(d.Headline), loss(d.Headline),
				{Spark: past[courseOf(r, d)].until(r)}, {Text: block.Printable(r.Scenario), Note: block.Printable(r.Machine)}}})
		}
	}
	return t, n, of
}

// measured are the UPFs of a run; one without has what else it has.
func measured(r *history.Run) (list []history.DUT) {
	for _, d := range r.DUTs {
		if !d.Reference {
			list = append(list, d)
		}
	}
	switch {
	case len(list) > 0:
		return list
	case len(r.DUTs) > 0:
		return r.DUTs
	}
	return []history.DUT{{Label: units.None}}
}

// verdict is a run's, or that it is under way.
func (h History) verdict(r *history.Run) block.Cell {
	if h.Running != nil && h.Running(r) {
		return block.Cell{Text: "running", Tone: block.Own}
	}
	c := block.Cell{Text: string(r.Verdict()), Tone: verdictTone(r.Verdict())}
	if n := r.Thresholds[record.OutcomePass] + r.Thresholds[record.OutcomeFail] + r.Thresholds[record.OutcomeCannotTell]; n > 0 {
		c.Note = fmt.Sprintf("thresholds: %d of %d pass", r.Thresholds[record.OutcomePass], n)
	} else if r.Invalid > 0 {
		c.Note = fmt.Sprintf("%d not valid", r.Invalid)
	}
	return c
}

func verdictTone(v history.Verdict) block.Tone {
	switch v {
	case history.Failed, history.Missed, history.Found, history.Unread:
		return block.Bad
	case history.Passed, history.Complete:
		return block.Good
	}
	return block.Warn
}

// rates are those of both directions, and what they are. Others than one for uplink and one for
// downlink have the direction with them.
func rates(h history.Headline) block.Cell {
	if h.Words != "" {
		return block.T(block.Printable(h.Words))
	}
	var texts []string
	plain := len(h.Rates) == 2 && h.Rates[0].Direction == record.Uplink && h.Rates[1].Direction == record.Downlink
	for _, r := range h.Rates {
		text := units.Rate(r.PPS)
		if r.Bounded {
			text = "≥ " + text
		}
		if !plain {
			text = strings.TrimSpace(block.Printable(string(r.Direction)) + " " + text)
		}
		texts = append(texts, text)
	}
	c := block.T(units.OrNone(strings.Join(texts, " / ")))
	switch {
	case len(texts) == 0:
	case h.Metric == "":
		c.Note = "highest paced load"
	default:
		c.Note = comparison.MetricTitle(h.Metric)
	}
	return c
}

func loss(h history.Headline) block.Cell {
	if h.Loss == nil {
		return block.T(units.None)
	}
	return block.T(units.Loss(*h.Loss))
}

func delay(h history.Headline) block.Cell {
	if h.P99 == nil {
		return block.T(units.None)
	}
	return block.T(h.P99Sign + units.Time(*h.P99))
}

// course is the rate of a UPF's headlines, of the first of their directions, over like runs.
type course struct {
	at     map[*history.Run]int
	values []float64
}

// likeness is what rates must have in common to be compared. The traffic is directions, sizes and
// sessions.
type likeness struct{ scenario, machine, metric, traffic string }

// coursed is that of which there is a course.
type coursed struct {
	likeness
	dut string
}

func courseOf(r *history.Run, d history.DUT) coursed {
	return coursed{likeness{r.Scenario, r.Machine, string(d.Headline.Metric), d.Headline.Traffic}, d.Label}
}

func (h History) past() map[coursed]*course {
	all := map[coursed]*course{}
	for _, r := range h.Runs {
		for _, d := range r.DUTs {
			if len(d.Headline.Rates) == 0 {
				continue
			}
			c := all[courseOf(r, d)]
			if c == nil {
				c = &course{at: map[*history.Run]int{}}
				all[courseOf(r, d)] = c
			}
			c.at[r], c.values = len(c.values), append(c.values, d.Headline.Rates[0].PPS)
		}
	}
	return all
}

// until is the line that ends at a run; nil: there is none.
func (c *course) until(r *history.Run) *block.Spark {
	if c == nil {
		return nil
	}
	at, known := c.at[r]
	if !known || at == 0 {
		return nil
	}
	values := c.values[max(0, at+1-sparkRuns) : at+1]
	return &block.Spark{Values: values, Label: fmt.Sprintf("The rate over the last %s, %s to %s", units.Plural(len(values), "run"),
		units.Rate(slices.Min(values)), units.Rate(slices.Max(values)))}
}
