package render_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/render/text"
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
			return c.Text("\n")
		}
	}
	return ""
}

// TestAnswersFirst: a report opens with a card for each question, the operator's first in a study.
func TestAnswersFirst(t *testing.T) {
	if got := questions(answersOf(t, sample(t))["builtin:xdp"]); got != "How fast, Limited by, Latency, No loss" {
		t.Errorf("a sweep asks %s", got)
	}
	cards := answersOf(t, swept(t))["builtin:xdp"]
	if !strings.HasPrefix(questions(cards), "Safe load, ") {
		t.Errorf("a stress study asks %s", questions(cards))
	}
	if latency := answerTo(cards, "Latency"); !strings.HasPrefix(latency, "uplink: p50 ") {
		t.Errorf("the study says nothing of latency at its least load: %q", latency)
	}
	if safe := answerTo(cards, "Safe load"); !strings.Contains(safe, "95 % interval") {
		t.Errorf("the safe load has no interval: %s", safe)
	}
	if fast := answerTo(answersOf(t, searched(t))["builtin:xdp"], "How fast"); !strings.Contains(fast, "(bounds 2.310 to 2.322 Mpps)") {
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
	if fast := answerTo(cards, "How fast"); !strings.Contains(fast,
		"uplink: ≥ 2.91 Mpps, in a trial that is not valid (steal: CPUs stolen)") {
		t.Errorf("how fast: %s", fast)
	}
	if latency := answerTo(cards, "Latency"); !strings.Contains(latency,
		"p99 ≤ 20.0 µs at 1k, in a trial that is not valid (steal: CPUs stolen)") {
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

// only keeps the trials of one UPF and direction that a function takes, as it changes them.
func only(t *testing.T, dut string, keep func(*record.Trial) bool) []block.Card {
	t.Helper()
	r := sample(t)
	for i := range r.DUTs {
		var kept []record.Trial
		for _, trial := range r.DUTs[i].Trials {
			if trial.Direction == record.Uplink && keep(&trial) {
				kept = append(kept, trial)
			}
		}
		r.DUTs[i].Trials = kept
	}
	return answersOf(t, r)[dut]
}

// TestInvalidLatencyIsABound: a trial that is not valid bounds latency only where all that is wrong with it
// adds to it, and where no packet was left out of it; the least load of those is shown.
func TestInvalidLatencyIsABound(t *testing.T) {
	for _, c := range []struct {
		story   string
		faults  []record.Fault
		skipped uint64
		want    bool
	}{
		{"stolen time", []record.Fault{record.FaultSteal}, 0, true},
		{"a stall and stolen time", []record.Fault{record.FaultCatchUp, record.FaultSteal}, 0, true},
		{"a clock that was set", []record.Fault{record.FaultClock}, 0, false},
		{"a lower load than was asked for", []record.Fault{record.FaultSteal, record.FaultNotSent}, 0, false},
		{"a UPF that ended", []record.Fault{record.FaultDUTEnded}, 0, false},
		{"no reason", nil, 0, false},
		{"packets that were never sent", []record.Fault{record.FaultSteal}, 100, false},
	} {
		cards := only(t, "builtin:xdp", func(trial *record.Trial) bool {
			trial.Valid, trial.Faults = false, c.faults
			if trial.Latency != nil && c.skipped > 0 {
				trial.Latency.Skipped, trial.Latency.P99 = c.skipped, 900_000
			}
			return true
		})
		got := answerTo(cards, "Latency")
		if bound := strings.Contains(got, "p50 ≤ 8.32 µs, p99 ≤ 20.0 µs at 1k"); bound != c.want || !bound && got != "" {
			t.Errorf("%s: %q", c.story, got)
		}
	}
}

// TestNothingLostUpToTheFirstLoss: a load without loss says nothing of those above one that lost packets.
func TestNothingLostUpToTheFirstLoss(t *testing.T) {
	lossy := 0.0
	loads := func(trial *record.Trial) bool {
		if trial.Load.PPS > 0 && trial.Load.PPS == lossy {
			trial.FrameLossRatio = 0.001
		}
		return trial.Kind == record.KindLoad
	}
	if got := answerTo(only(t, "builtin:xdp", loads), "No loss"); !strings.Contains(got, "up to 0.960 Mpps") {
		t.Fatalf("without loss: %q", got)
	}
	lossy = 150_000
	if got := answerTo(only(t, "builtin:xdp", loads), "No loss"); strings.Contains(got, "0.960 Mpps") {
		t.Errorf("150k loses packets, and: %q", got)
	}
}

// TestLimitOfALowerBound: where a search ended at its highest load, nothing has limited the UPF yet.
func TestLimitOfALowerBound(t *testing.T) {
	r := searched(t)
	for i := range r.DUTs[0].Searches {
		s := &r.DUTs[0].Searches[i]
		for j := range s.Goals {
			g := &s.Goals[j]
			g.Valid, g.UpperPPS, g.LowerPPS, g.LimitedBy = false, 0, s.MaxPPS, record.LimitGenerator
			g.Reasons, g.ReasonCodes = []string{"even the highest load was carried"}, []string{"no_upper_bound"}
		}
	}
	if got := answerTo(answersOf(t, r)["builtin:xdp"], "Limited by"); !strings.HasPrefix(got, "uplink: its limit was not found") {
		t.Errorf("limited by %q", got)
	}
}

// TestNameWithoutAVersion: a UPF that tells no version has its heading all the same.
func TestNameWithoutAVersion(t *testing.T) {
	r := sample(t)
	r.DUTs[0].Version = ""
	if out := string(render(t, text.Write, r)); !regexp.MustCompile(`(?m)^builtin:xdp\n  How fast `).MatchString(out) {
		t.Errorf("no heading:\n%s", out)
	}
}

// TestOneAnswerInHTML: the figures of the answers are there once, as cards, and commands in them are code.
func TestOneAnswerInHTML(t *testing.T) {
	out := string(render(t, html.Write, sample(t)))
	if strings.Contains(out, `class="tile"`) || strings.Count(out, "33.59 Gbit/s") != 1 {
		t.Errorf("%d times 33.59 Gbit/s", strings.Count(out, "33.59 Gbit/s"))
	}
	if !strings.Contains(out, "<code>upflab run stress</code>") {
		t.Error("a command is not code")
	}
	body := out[strings.Index(out, "<main"):strings.Index(out, "</main>")]
	if visible := regexp.MustCompile("(?s)<pre>.*?</pre>").ReplaceAllString(body, ""); strings.Contains(visible, "`") {
		t.Error("there are backticks on the page")
	}
}
