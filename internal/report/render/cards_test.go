package render_test

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections"
)

// answersOf are the cards of the report's first section, by UPF.
func answersOf(t *testing.T, r *record.Result) map[string][]block.Card {
	t.Helper()
	d, err := sections.Report(r, sections.Options{})
	if err != nil {
		t.Fatal(err)
	}
	answers, ok := d.Sections[0].Blocks[0].(block.Answers)
	if !ok {
		t.Fatalf("the report does not open with the answers but with %T", d.Sections[0].Blocks[0])
	}
	cards := map[string][]block.Card{}
	for _, a := range answers {
		cards[a.Name.Text] = a.Cards
	}
	return cards
}

func questions(cards []block.Card) string {
	var list []string
	for _, c := range cards {
		list = append(list, c.Question)
	}
	return strings.Join(list, ", ")
}

func answerTo(cards []block.Card, question string) string {
	for _, c := range cards {
		if c.Question == question {
			return strings.Join(c.Lines, "\n")
		}
	}
	return ""
}

// TestAnswersFirst: a report opens with a card for each question, the operator's first in a study.
func TestAnswersFirst(t *testing.T) {
	if got := questions(answersOf(t, sample(t))["builtin:xdp"]); got != "How fast, Limited by, Latency, Safe load" {
		t.Errorf("a sweep asks %s", got)
	}
	cards := answersOf(t, swept(t))["builtin:xdp"]
	if !strings.HasPrefix(questions(cards), "Safe load, ") {
		t.Errorf("a stress study asks %s", questions(cards))
	}
	if safe := answerTo(cards, "Safe load"); !strings.Contains(safe, "95 % interval") {
		t.Errorf("the safe load has no interval: %s", safe)
	}
	if fast := answerTo(answersOf(t, searched(t))["builtin:xdp"], "How fast"); !strings.Contains(fast, "(2310.40 to 2321.95 kpps)") {
		t.Errorf("the non-drop rate has no bounds: %s", fast)
	}
}

// TestInvalidTrialsGiveABound: what arrived in a trial that is not valid was carried all the same.
func TestInvalidTrialsGiveABound(t *testing.T) {
	r := sample(t)
	for i := range r.DUTs {
		for j := range r.DUTs[i].Trials {
			trial := &r.DUTs[i].Trials[j]
			trial.Valid, trial.Faults, trial.Reasons = false, []record.Fault{record.FaultSteal}, []string{"the hypervisor took 3 %"}
		}
	}
	cards := answersOf(t, r)["builtin:xdp"]
	if fast := answerTo(cards, "How fast"); !strings.Contains(fast, "uplink: ≥ 2.91 Mpps, in a trial that is not valid (steal: CPUs stolen)") {
		t.Errorf("how fast: %s", fast)
	}
	if latency := answerTo(cards, "Latency"); !strings.Contains(latency, "p99 ≤ 20.0 µs at 1k, in a trial that is not valid (steal: CPUs stolen)") {
		t.Errorf("latency: %s", latency)
	}
	for i := range r.DUTs {
		for j := range r.DUTs[i].Trials {
			r.DUTs[i].Trials[j].Faults = []record.Fault{record.FaultCounters}
		}
	}
	if fast := answerTo(answersOf(t, r)["builtin:xdp"], "How fast"); strings.Contains(fast, "≥") {
		t.Errorf("counters that are wrong give a bound: %s", fast)
	}
}
