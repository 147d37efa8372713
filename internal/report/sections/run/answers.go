// Package run has the sections of a report that are about the run as a whole: its
// answers first, then the UPFs side by side, then what is needed to judge and to
// repeat it. Each file is a section.
package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/resilience"
	"github.com/upflab/upflab/internal/report/sections/trials"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Answers is a card for each question about each UPF: its rate, what limited it, its latency at a
// low load; where other things than rates were measured, one sentence.
func Answers(v *view.Run) block.Section {
	var all block.Answers
	u := unitOf(v)
	for _, d := range v.UPFs {
		all = append(all, answer(v, d, u))
	}
	if len(all) == 0 {
		return block.Section{}
	}
	if v.Applied() || v.Behaved() || v.Failed() || v.Counted() || !slices.ContainsFunc(v.UPFs, (*view.UPF).Measured) {
		return block.Section{Blocks: []block.Block{all}}
	}
	both := cpuAtLeast(v) + howSafe(all) + howSure(v.Calibration)
	return block.Section{Blocks: []block.Block{all,
		block.Note{Tone: block.Muted, Text: howToRead(v) + both, Only: block.Pages},
		block.Note{Tone: block.Muted, Text: howToReadTables(v) + both, Only: block.Text}}}
}

func answer(v *view.Run, d *view.UPF, u units.Rates) block.Answer {
	a := block.Answer{Name: d.NameCell(), Version: d.Version, Problem: problem(d)}
	if d.Reference {
		a.Version = "reference: no UPF"
		if d.Mode == record.ModeRAN {
			a.Version = "reference: the RAN with another UPF"
		}
	}
	if a.Problem != "" {
		a.State = d.State()
	}
	if !d.Measured() {
		a.Sentence = "nothing was measured"
		return a
	}
	if len(d.Cases) > 0 {
		a.Sentence = casesSentence(d)
		return a
	}
	if len(d.Incidents) > 0 {
		a.Sentence = resilience.Sentence(d.Incidents)
		return a
	}
	if len(d.Instructions) > 0 {
		a.Sentence = trials.InstructionsSentence(d)
		return a
	}
	if d.ControlPlane != nil {
		a.Sentence = controlSentence(d.ControlPlane)
		return a
	}
	if len(d.Flows) > 0 {
		a.Sentence = flowsSentence(v, d)
		return a
	}
	if len(v.Sizes) > 0 {
		a.Sentence = sizedSentence(v, d)
		return a
	}
	a.Cards = cards(v, d, u)
	return a
}

// problem is why a UPF is not well; "" when it is.
func problem(d *view.UPF) string {
	switch {
	case d.Error != "":
		return block.Printable(d.Error)
	case d.Status == record.StatusFailed:
		return "it failed, and no reason was recorded"
	case d.Status == record.StatusInterrupted:
		return "the run was interrupted before it was measured whole"
	}
	return ""
}

// sizedSentence has a rate for each size, and the latencies of all.
func sizedSentence(v *view.Run, d *view.UPF) string {
	var parts []string
	for _, direction := range v.Directions {
		if words := sizedRates(v, d, direction); words != "" {
			parts = append(parts, string(direction)+" "+words)
		}
	}
	return units.OrElse(strings.Join(parts, "; "), "no valid rate")
}

func sizedRates(v *view.Run, d *view.UPF, direction record.Direction) string {
	var words, notes, latencies []string
	for _, one := range v.Sizes {
		h := one.Headline(one.UPFs[d.Index], direction)
		mpps, _, note := h.Rate()
		if h.PPS() > 0 {
			words, notes = append(words, fmt.Sprintf("%s Mpps of %s", mpps.Text, one.Size)), append(notes, note)
		}
		if h.Lowest != nil {
			latencies = append(latencies, h.Lowest.LatencyText(view.P50))
		}
	}
	same := len(slices.Compact(slices.Clone(notes))) == 1
	for i, note := range notes {
		if !same || i == len(notes)-1 {
			words[i] += " (" + note + ")"
		}
	}
	if len(latencies) > 0 && len(words) > 0 {
		words = append(words, "latency p50 "+strings.Join(latencies, ", "))
	}
	return strings.Join(words, ", ")
}

// howToRead explains the answers.
func howToRead(v *view.Run) string {
	var words []string
	if v.Searched {
		words = append(words, "The non-drop rate is the highest offered load without loss. The partial drop rate is the "+
			"highest load that loses no more than its goal allows. "+searchBounds)
	}
	words = append(words, "Received rates are the highest, of correct packets; latencies are one way, from the intended send time.",
		"≥ marks a rate that something other than the UPF limited: the UPF can do at least that.")
	if v.HasReference {
		words = append(words, "The reference, wire, is bare forwarding with no UPF, in the same placement: its "+
			"rates are what the bench can carry, "+
			"its latencies what the bench adds.")
	}
	return strings.Join(words, " ")
}

// cpuAtLeast says why CPU figures are lower bounds; "": none is.
func cpuAtLeast(v *view.Run) string {
	for _, d := range v.UPFs {
		for i := range d.Trials {
			if d.Trials[i].CPU.AtLeast {
				return " CPU is at least what is shown (≥): " + record.ProcessAlone + "."
			}
		}
	}
	return ""
}

// searchBounds keeps a search's bounds from being taken for an interval.
const searchBounds = "Bounds are one search's, and no interval of the rate: repeats show how far searches differ."

// howToReadTables is the same for a terminal.
func howToReadTables(v *view.Run) string {
	words := "≥: something other than the UPF limited it. Latency: one way, from the intended send time. Cores: CPU of the UPF."
	if v.HasReference {
		words += " Wire: p50 without a UPF at that load, ~ at the nearest."
	}
	if v.Searched {
		words += " NDR: non-drop rate, with ? where it is not valid. " + searchBounds
	}
	if v.Repeated {
		words += " Figures are medians over the valid repeats."
	}
	return words
}
