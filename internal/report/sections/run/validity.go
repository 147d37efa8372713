package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Validity is what is wrong with the run in a line each: what it lacks, how many
// trials and searches are not valid and what caused that. The reasons are Reasons.
func Validity(v *view.Run) block.Section {
	var blocks []block.Block
	if !v.Complete {
		blocks = append(blocks, block.Note{Tone: block.Bad, Label: "Incomplete run", Text: whyIncomplete(v)})
	}
	blocks = append(blocks, problems(v)...)
	if bad, all := v.InvalidGoals(); bad > 0 {
		blocks = append(blocks, block.Note{Tone: block.Warn, Text: fmt.Sprintf("%d of %s not valid; the reasons are with their table",
			bad, units.Plural(all, "searched rate"))})
	}
	if bad := v.Invalid(); len(bad) > 0 {
		blocks = append(blocks,
			block.Note{Tone: block.Warn, Text: fmt.Sprintf("%d of %s not valid: %s; the reasons are below", len(bad),
				units.Plural(len(v.Verdicts()), "trial"), cause(bad))},
			block.Section{Title: "Which, and why", Fold: true, Only: block.HTML, Blocks: []block.Block{reasons(bad)}})
	}
	return block.Section{Blocks: blocks}
}

// Reasons lists the trials that are not valid, after the tables, in the format that folds
// nothing.
func Reasons(v *view.Run) block.Section {
	bad := v.Invalid()
	if len(bad) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Not valid", Only: block.Markdown, Blocks: []block.Block{reasons(bad)},
		Hint: "These trials are shown and marked; no median rests on them where valid ones exist. " +
			"`upflab explain REASON` has the cause and the fix of each reason in brackets."}
}

// Causes is Reasons for a terminal: a line for each cause.
func Causes(v *view.Run) block.Section {
	bad := v.Invalid()
	if len(bad) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Not valid", Only: block.Text, Blocks: []block.Block{briefly(bad)},
		Hint: "These trials are shown and marked; no median rests on them where valid ones exist. report.html has all reasons of each."}
}

// briefly lists the causes, each behind the trials that it spoiled.
func briefly(bad []view.Verdict) (list block.List) {
	spoiled := map[string][]string{}
	var order []string
	for _, t := range bad {
		why := view.Briefly(t.Trial)
		if spoiled[why] == nil {
			order = append(order, why)
		}
		spoiled[why] = append(spoiled[why], fmt.Sprintf("%s, %s, repeat %d", t.Row.UPF.Label, t.Name(), t.Repeat))
	}
	const most = 3
	for _, why := range order {
		names := spoiled[why]
		text := strings.Join(names[:min(most, len(names))], "; ")
		if more := len(names) - most; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		list.Items = append(list.Items, block.Item{Text: text + ": " + why})
	}
	return list
}

func reasons(bad []view.Verdict) block.List {
	var list block.List
	for _, t := range bad {
		list.Items = append(list.Items, block.Item{Text: fmt.Sprintf("%s, %s, repeat %d: %s%s", t.Row.UPF.Label, t.Name(),
			t.Repeat, t.Why(), explainable(t))})
	}
	return list
}

// explainable are the codes of a trial, in brackets.
func explainable(t view.Verdict) string {
	if codes := t.Codes(); len(codes) > 0 {
		return " [" + strings.Join(codes, ", ") + "]"
	}
	return ""
}

// cause is what kept how many of the trials from being valid; a number only where
// there are several causes.
func cause(bad []view.Verdict) string {
	counts := map[string]int{}
	var list []string
	for _, t := range bad {
		c := causeOf(t)
		if counts[c]++; counts[c] == 1 {
			list = append(list, c)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for i, c := range list {
		list[i] = fmt.Sprintf("%s ×%d", c, counts[c])
	}
	return strings.Join(list, ", ")
}

// causeOf names the cause of a trial.
func causeOf(t view.Verdict) string {
	if r, found := view.Cause(t.Trial); found {
		return r.Name
	}
	return first(t)
}

// first is the first reason of a trial, which is what makes it not valid.
func first(t view.Verdict) string {
	if len(t.Reasons) == 0 {
		return t.Why()
	}
	return t.Reasons[0]
}

// whyIncomplete says what a run lacks.
func whyIncomplete(v *view.Run) string {
	var why []string
	for _, d := range v.UPFs {
		switch {
		case d.Status == record.StatusInterrupted && d.Error != "":
			why = append(why, d.Label+" was not measured whole: "+block.Printable(d.Error))
		case d.Status == record.StatusInterrupted:
			why = append(why, d.Label+" was interrupted")
		case d.Failed():
			why = append(why, d.Label+" failed")
		case !d.Measured():
			why = append(why, d.Label+" was not measured")
		}
	}
	if len(why) == 0 {
		return "the run was interrupted; what was measured until then follows"
	}
	words := strings.Join(why, ", ")
	if slices.ContainsFunc(v.UPFs, (*view.UPF).Measured) {
		words += "; what was measured follows"
	}
	return words
}
