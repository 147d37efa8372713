package bisection

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/render/markdown"
	"github.com/upflab/upflab/internal/report/render/text"
	"github.com/upflab/upflab/internal/results/bisect"
)

func commitOf(id, subject string) bisect.Commit {
	return bisect.Commit{ID: strings.Repeat(id, 40), Subject: subject, Author: "Somebody", Time: time.Unix(1700000000, 0)}
}

func sample() *bisect.Result {
	check := bisect.Reading{Metric: compare.RxPPS, Kind: record.KindLoad, Direction: record.Uplink, Load: "max",
		Good: 2e6, Other: 1.6e6, Worse: 0.2, Lo: 0.18, Hi: 0.22,
		Repeats: 5, Known: true, Shown: true}
	step := check
	step.Worse, step.Lo, step.Hi = 0.19, 0.15, 0.23
	slow := commitOf("c", "a long subject that says what the commit is good for, at some length, as some do")
	return &bisect.Result{
		Tool: "test", Repository: "/src/upf", DUT: "eupf:native", Scenario: "quick", Build: []string{"make"},
		Good: commitOf("a", "good"), Bad: commitOf("d", "bad"),
		Commits: 3, Check: &check, Checked: []bisect.Reading{check}, Limit: 0.1, Outcome: bisect.Found, First: &slow,
		Steps: []bisect.Step{{Commit: commitOf("b", "broken"), Verdict: bisect.Skipped, Why: "it does not build",
			Left: 3}, {Commit: slow, Verdict: bisect.Slower, Reading: &step, Left: 3}},
	}
}

// TestReport: each outcome has an answer, and each format a report.
func TestReport(t *testing.T) {
	ranged, same, cut := sample(), sample(), sample()
	ranged.Outcome, ranged.First, ranged.Needed, ranged.Why = bisect.Range, nil, 40, "noise"
	ranged.Candidates = []bisect.Commit{commitOf("b", "broken"), commitOf("c", "slow")}
	same.Outcome, same.First, same.Check, same.Steps, same.Why = bisect.NoDifference, nil, nil, nil, "the bad commit is not shown to be slower"
	loss := bisect.Reading{Metric: compare.FrameLoss, Kind: record.KindLoad, Direction: record.Uplink, Load: "max",
		Worse: 0.001, Lo: -0.001, Hi: 0.003, Repeats: 5, Known: true}
	rate := *sample().Check
	rate.Worse, rate.Lo, rate.Hi, rate.Shown = 0.01, -0.02, 0.04, false
	bounded := rate
	bounded.Metric, bounded.Lo, bounded.Hi, bounded.AtMost = compare.CPU, 0.0099, 0.0101, true // the machine's figure
	same.Checked, same.Needed = []bisect.Reading{loss, rate, bounded}, 60
	cut.Outcome, cut.First, cut.Why = bisect.Unfinished, nil, "interrupted"
	for _, c := range []struct {
		r     *bisect.Result
		wants []string
	}{
		{sample(), []string{"the first slower commit is cccccccccc a long", "worse by 20 % (18 % to 22 %)",
			"by itself worse by 19 %", "skipped", "searched by", "more than 10 %"}},
		{ranged, []string{"cannot tell which of 2 commits", "--max-repeats 40", "bbbbbbbbbb broken"}},
		{same, []string{"not shown to be slower; 5 repeats each show one of about 3 % or more, in Rx rate, uplink " +
			"max; about 60 repeats each would decide", "--max-repeats 60"}},
		{cut, []string{"not finished: interrupted"}},
	} {
		var plain, page, site bytes.Buffer
		d := Report(c.r)
		if err := text.Write(&plain, d); err != nil {
			t.Fatal(err)
		}
		if err := markdown.Write(&page, d); err != nil {
			t.Fatal(err)
		}
		if err := html.Write(&site, d); err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(plain.String()), " ")
		for _, want := range c.wants {
			if !strings.Contains(words, want) || !strings.Contains(page.String(), want) {
				t.Errorf("there is no %q in\n%s\n%s", want, plain.String(), page.String())
			}
		}
		if strings.Contains(plain.String(), "- : ") {
			t.Errorf("a table does not fit:\n%s", plain.String())
		}
	}
}
