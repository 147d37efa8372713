// Package comparison has the sections of a report on two results: what B is worse in
// comes first, then what was compared and how, then a table for each UPF.
package comparison

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

var errNothing = errors.New("there is no comparison to report: compare two results first")

// Report is the report of a comparison.
func Report(c *compare.Comparison) (block.Document, error) {
	if c == nil {
		return block.Document{}, errNothing
	}
	var notes footnotes
	d := block.Document{Title: title(c), Sections: []block.Section{gate(c), sides(c)}}
	for _, p := range c.Pairs {
		d.Sections = append(d.Sections, pair(c, p, &notes))
	}
	d.Sections = append(d.Sections, notes.section(), leftOut(c))
	return d, nil
}

// JSON writes a comparison for programs, as compare.Comparison has it.
func JSON(w io.Writer, c *compare.Comparison) error {
	if c == nil {
		return errNothing
	}
	body, err := json.MarshalIndent(c, "", "  ")
	if err == nil {
		_, err = w.Write(append(body, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the comparison as JSON: %w", err)
	}
	return nil
}

func title(c *compare.Comparison) string {
	var names []string
	for _, p := range c.Pairs {
		if !p.Reference() {
			names = append(names, p.Title())
		}
	}
	if len(names) == 0 {
		return "B against A"
	}
	return "B against A: " + strings.Join(names, ", ")
}

// gate is what the exit status rests on.
func gate(c *compare.Comparison) block.Section {
	g, threshold := c.Gate, fmt.Sprintf("%.3g %%", c.Threshold*100)
	var lines []string
	for _, f := range g.Worse {
		lines = append(lines, "WORSE: "+Failure(f))
	}
	switch n := len(g.Worse); {
	case g.Figures == 0:
		lines = append(lines, "no figure of a UPF was compared with the threshold")
	case n == 0:
		lines = append(lines, fmt.Sprintf("of %s none is shown to be worse by more than %s", units.Plural(g.Figures, "figure"), threshold))
	default:
		lines = append(lines, fmt.Sprintf("of %s %d worse by more than %s", units.Plural(g.Figures, "figure"), n, threshold))
	}
	lines = append(lines, open(g)...)
	for _, why := range c.Incomparable {
		lines = append(lines, "NOT COMPARED: "+why)
	}
	return block.Section{Blocks: []block.Block{block.List{Items: block.Texts(lines)}}}
}

// open are the figures in which it is not decided whether B is worse by that much.
func open(g compare.Gate) (lines []string) {
	which := "of them"
	if len(g.Worse) > 0 {
		which = "others"
	}
	switch never := g.Figures - g.Excluded - g.Open - len(g.Worse); {
	case g.Figures == 0:
		return nil
	case g.Open == 0 && never == 0:
		return []string{fmt.Sprintf("in %d %s that much is ruled out", g.Excluded, which)}
	case never > 0:
		lines = append(lines, fmt.Sprintf("in %d %s that much cannot be ruled out, and more repeats do not decide it", never, which))
	}
	if g.Open > 0 {
		text := fmt.Sprintf("in %d %s that much cannot be ruled out: more repeats narrow the intervals", g.Open, which)
		if g.Needs > 0 {
			text += fmt.Sprintf(", about %d more decide it", g.Needs)
		}
		lines = append(lines, text)
	}
	return lines
}

// sides is what was compared, and how to read the changes.
func sides(c *compare.Comparison) block.Section {
	s := block.Section{Title: "What was compared", Blocks: []block.Block{
		block.List{Items: []block.Item{{Label: "A", Text: side(c.A)}, {Label: "B", Text: side(c.B)}}}, block.Note{Text: method(c)}}}
	for _, caveat := range c.Caveats {
		s.Blocks = append(s.Blocks, block.Note{Tone: block.Warn, Text: caveat, Only: block.Text})
	}
	if len(c.Caveats) > 0 {
		s.Blocks = append(s.Blocks,
			block.Section{Title: "Caveats", Only: block.Pages,
				Blocks: []block.Block{block.List{Items: block.Texts(c.Caveats)}}})
	}
	return s
}

func side(s compare.Side) string {
	return strings.Join([]string{block.Printable(s.Name) + ": " + units.OrNone(s.Scenario),
		"run " + units.OrNone(s.Run), units.Instant(s.Started),
		"upflab " + units.OrNone(s.Tool.Version)}, ", ")
}

// method says how to read the changes.
func method(c *compare.Comparison) string {
	words := fmt.Sprintf("Change: B against A; %s. B is A's median with that change. Intervals hold the true change with 95 %% confidence. ", c.BasisWhy)
	if c.Family == 0 {
		words += "No figure could be tested."
	} else {
		words += fmt.Sprintf("Verdicts are given where the chance of a single wrong one among the %s tested is below %g %%.",
			units.Plural(c.Family, "figure"), math.Round(compare.Level*100))
	}
	switch b := c.Between; {
	case c.Noise > 0:
		words += fmt.Sprintf(" From run to run this machine is taken to differ from itself by %.3g %%, as --noise says.", c.Noise*100)
	case b == nil, !b.Assumed && b.Runs == 0: // nothing was compared that scatters
	case b.Assumed:
		words += fmt.Sprintf(" How much this machine differs from itself from run to run is not known: %.2g %% are assumed of rates and "+
			"CPU times, %.2g %% of delays and losses. `sudo upflab calibrate` measures it, and smaller changes count then.",
			100*between.SteadyAssumed, 100*between.RoughAssumed)
	default:
		words += fmt.Sprintf(" From run to run this machine differs from itself, by %d runs of an unchanged UPF on %s, which the intervals contain.",
			b.Runs, units.Plural(b.Days, "day"))
	}
	return words
}

// leftOutMost is how many of what was left out a terminal shows.
const leftOutMost = 8

// leftOut is what has no partner or is not valid.
func leftOut(c *compare.Comparison) block.Section {
	if len(c.LeftOut) == 0 {
		return block.Section{}
	}
	some := block.Texts(c.LeftOut[:min(leftOutMost, len(c.LeftOut))])
	if more := len(c.LeftOut) - len(some); more > 0 {
		some = append(some, block.Item{Text: fmt.Sprintf("%d more like these", more)})
	}
	return block.Section{Title: "Excluded", Blocks: []block.Block{block.List{Items: some, Only: block.Text},
		block.List{Items: block.Texts(c.LeftOut), Only: block.Pages}}}
}

// footnotes numbers the reasons that figures give, each once.
type footnotes []footnote

// footnote is a reason. A terminal has it where a row that it shows refers to it.
type footnote struct {
	why   string
	shown bool
}

// mark is the sign of a reason: " (2)", "" for none; shown is true for rows that a terminal shows.
func (n *footnotes) mark(why string, shown bool) string {
	if why == "" {
		return ""
	}
	at := slices.IndexFunc(*n, func(f footnote) bool { return f.why == why })
	if at < 0 {
		at = len(*n)
		*n = append(*n, footnote{why: why})
	}
	(*n)[at].shown = (*n)[at].shown || shown
	return fmt.Sprintf(" (%d)", at+1)
}

func (n footnotes) section() block.Section {
	if len(n) == 0 {
		return block.Section{}
	}
	all, shown := block.List{Only: block.Pages}, block.List{Only: block.Text}
	for i, note := range n {
		item := block.Item{Text: fmt.Sprintf("(%d) %s", i+1, note.why)}
		all.Items = append(all.Items, item)
		if note.shown {
			shown.Items = append(shown.Items, item)
		}
	}
	s := block.Section{Title: "Why no verdict is possible, and doubts", Blocks: []block.Block{shown, all}}
	if len(shown.Items) == 0 {
		s.Only = block.Pages
	}
	return s
}
