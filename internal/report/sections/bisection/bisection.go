// Package bisection has the report of a search for the commit that made a UPF slower.
package bisection

import (
	"fmt"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/results/bisect"
	"github.com/upflab/upflab/internal/text/units"
)

// Report is the report of a search.
func Report(r *bisect.Result) block.Document {
	return block.Document{
		Title: "The commit that made " + block.Printable(r.DUT) + " slower",
		Meta: []block.Fact{{Name: "repository", Value: block.Printable(r.Repository)},
			{Name: "good", Value: commit(r.Good)}, {Name: "bad", Value: commit(r.Bad)},
			{Name: "scenario", Value: r.Scenario},
			{Name: "build", Value: block.Printable(strings.Join(r.Build, " "))},
			{Name: "began", Value: units.Instant(r.Started)}},
		Maker:    "upflab " + r.Tool,
		Sections: []block.Section{answer(r), check(r), steps(r)},
	}
}

// Summary is the answer in a line or two.
func Summary(r *bisect.Result) string {
	switch r.Outcome {
	case bisect.Found:
		text := fmt.Sprintf("the first slower commit is %s (%s, %s): %s", commit(*r.First),
			block.Printable(r.First.Author), r.First.Time.Format(time.DateOnly), slowdown(*r.Check))
		if own := firstReading(r); own != nil {
			text += fmt.Sprintf("; it by itself %s", amount(*own))
		}
		return text + layout(r)
	case bisect.Range:
		return fmt.Sprintf("cannot tell which of %s it is: %s%s", units.Plural(len(r.Candidates), "commit"), r.Why, advice(r)) + layout(r)
	case bisect.NoDifference:
		return r.Why + resolution(r) + advice(r) + layout(r)
	}
	return "not finished: " + block.Printable(r.Why)
}

// layout says where builds could be compared in one layout of their code alone.
func layout(r *bisect.Result) string {
	if r.FixedLayout == "" {
		return ""
	}
	return fmt.Sprintf("; the layout was not varied (%s), and a build is assumed to be off by %.0f %% for it",
		block.Printable(r.FixedLayout), 100*bisect.LayoutOffset)
}

// resolution is the slow-down that good and bad would have to have to be told apart by the
// repeats that were made: the reach of the narrowest interval.
func resolution(r *bisect.Result) string {
	sharpest := sharpest(r.Checked)
	if r.Check != nil || sharpest == nil {
		return ""
	}
	return fmt.Sprintf("; %s each show one of about %s or more, in %s", units.Plural(sharpest.Repeats, "repeat"),
		worse(*sharpest, reach(*sharpest)), figure(*sharpest))
}

// sharpest is the figure with the narrowest interval that is the UPF's own, a ratio if
// there is one.
func sharpest(readings []bisect.Reading) (best *bisect.Reading) {
	for i := range readings {
		r := &readings[i]
		if r.Known && !r.AtMost && (best == nil || best.Metric.Additive() && !r.Metric.Additive() ||
			best.Metric.Additive() == r.Metric.Additive() && reach(*r) < reach(*best)) {
			best = r
		}
	}
	return best
}

func reach(r bisect.Reading) float64 { return r.Worse - r.Lo }

func advice(r *bisect.Result) string {
	if r.Needed > 0 {
		return fmt.Sprintf("; about %s each would decide, as far as the scatter tells: --max-repeats %d",
			units.Plural(r.Needed, "repeat"), r.Needed)
	}
	return ""
}

// firstReading is what was measured of the commit that was found; nil: it is the bad one,
// which the check measured.
func firstReading(r *bisect.Result) *bisect.Reading {
	for _, s := range r.Steps {
		if s.Commit.ID == r.First.ID {
			return s.Reading
		}
	}
	return nil
}

func answer(r *bisect.Result) block.Section {
	tone := block.Warn
	if r.Outcome == bisect.Found {
		tone = block.Good
	}
	s := block.Section{Blocks: []block.Block{block.Note{Tone: tone, Text: Summary(r)}}}
	var list []block.Item
	for _, c := range r.Candidates {
		list = append(list, block.Item{Text: commit(c)})
	}
	if len(list) > 0 {
		s.Blocks = append(s.Blocks, block.List{Items: list})
	}
	return s
}

// check is how good and bad differ.
func check(r *bisect.Result) block.Section {
	s := block.Section{Title: "Good and bad",
		Hint: "How much slower the bad commit is than the good one; intervals hold the true value with 95 % confidence."}
	t := block.Table{Columns: []block.Column{block.Key("Figure"), block.Number("Good", ""), block.Number("Bad", ""),
		block.Number("Worse by", ""), block.Number("Interval", ""), block.Words("")}}
	for _, x := range r.Checked {
		mark := ""
		if r.Check != nil && x.Same(*r.Check) {
			mark = "searched by"
		}
		t.Rows = append(t.Rows,
			block.Row{Cells: block.Cells(figure(x), value(x, x.Good), value(x, x.Other), worse(x, x.Worse),
				interval(x), mark)})
	}
	s.Blocks = append(s.Blocks, t)
	if r.Check != nil && r.Limit > 0 {
		s.Blocks = append(s.Blocks,
			block.Note{Text: fmt.Sprintf("A commit is called slower when it is worse than the good one by more "+
				"than %s in this figure.", worse(*r.Check, r.Limit))})
	}
	return s
}

// steps are the commits that were tried.
func steps(r *bisect.Result) block.Section {
	s := block.Section{Title: "Steps", Hint: fmt.Sprintf("Of %s between good and bad.", units.Plural(r.Commits, "commit"))}
	t := block.Table{Columns: []block.Column{block.Key("Commit"), block.Words("Verdict"),
		block.Number("Worse by", ""), block.Number("Interval", ""), block.Number("Repeats", ""),
		block.Number("Left", ""), block.Prose("Why").In(block.Pages)}}
	for _, x := range r.Steps {
		row := block.Row{Cells: block.Cells(commit(x.Commit), string(x.Verdict), "-", "-", "-", fmt.Sprint(x.Left), block.Printable(x.Why))}
		row.Cells[0].Short = x.Commit.Short()
		if x.Reading != nil {
			row.Cells[2].Text, row.Cells[3].Text, row.Cells[4].Text = worse(*x.Reading, x.Reading.Worse),
				interval(*x.Reading), fmt.Sprint(x.Reading.Repeats)
		}
		t.Rows = append(t.Rows, row)
	}
	s.Blocks = append(s.Blocks, t)
	return s
}

func commit(c bisect.Commit) string { return c.Short() + " " + block.Printable(c.Subject) }

func figure(r bisect.Reading) string {
	return comparison.MetricTitle(r.Metric) + ", " + strings.TrimPrefix(r.Name(), string(r.Metric)+", ")
}

// slowdown is "Rx rate, uplink max: worse by 12 % (10 % to 14 %)".
func slowdown(r bisect.Reading) string { return figure(r) + " of bad " + amount(r) }

func amount(r bisect.Reading) string {
	return fmt.Sprintf("worse by %s (%s)", worse(r, r.Worse), interval(r))
}

func value(r bisect.Reading, v float64) string { return comparison.Value(r.Metric, v) }

// worse writes a slow-down: in percent, of frame loss in percentage points.
func worse(r bisect.Reading, v float64) string {
	unit := "%"
	if r.Metric.Additive() {
		unit = "pp"
	}
	return fmt.Sprintf("%.3g %s", v*100, unit)
}

func interval(r bisect.Reading) string {
	if !r.Known {
		return "-"
	}
	return worse(r, r.Lo) + " to " + worse(r, r.Hi)
}
