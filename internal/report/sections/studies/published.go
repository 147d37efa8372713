// Package studies has the section of a report with what others published of the same
// UPFs.
package studies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// rule says how the figures of others relate to a result.
const rule = "Figures as their authors published them. One is next to a figure of this run where UPF, mode, direction, payload and " +
	"sessions are the same, and the load is within 5 %. Machine, version, tool and duration differ: compare what happens at a load, " +
	"not who is faster. No other figure, median or chart of this report contains them."

// study is what one study has of the UPFs of a run.
type study struct {
	*published.Study
	Pairs []pair      // what can be compared with a trial of ours
	Alone []block.Row // what cannot
	Lacks []string    // its UPFs that the run has not
}

// pair is a measurement of theirs and ours.
type pair struct {
	UPF    *view.UPF
	Theirs *published.Measurement
	Ours   *view.Row
}

// Published is the section of studies, of those that measured some UPF of the run. It
// has those first that can be compared.
func Published(all []published.Study) func(*view.Run) block.Section {
	return func(v *view.Run) block.Section {
		var comparable, others []block.Block
		for i := range all {
			s := match(v, &all[i])
			switch {
			case len(s.Pairs) > 0:
				comparable = append(comparable, s.section(v))
			case len(s.Alone) > 0:
				others = append(others, s.section(v))
			}
		}
		blocks := slices.Concat(comparable, others)
		if len(blocks) == 0 {
			return block.Section{}
		}
		return block.Section{Title: "Published figures", Blocks: append([]block.Block{block.Note{Tone: block.Muted, Text: rule}}, blocks...)}
	}
}

// match puts each measurement where it belongs.
func match(v *view.Run, s *published.Study) study {
	out := study{Study: s}
	for i := range s.Measurements {
		m := &s.Measurements[i]
		upfs := measured(v, m)
		if name := label(m); len(upfs) == 0 && !alone(m) && !slices.Contains(out.Lacks, name) {
			out.Lacks = append(out.Lacks, name)
		}
		for _, d := range upfs {
			if r, why := comparable(d, s, m); r != nil {
				out.Pairs = append(out.Pairs, pair{UPF: d, Theirs: m, Ours: r})
			} else {
				out.Alone = append(out.Alone, aloneRow(d, m, why))
			}
		}
	}
	return out
}

// alone reports whether a measurement is of a network without a UPF.
func alone(m *published.Measurement) bool { return m.Driver == "" && m.Kind == published.KindGoodput }

// measured are the UPFs of the run that a measurement is of: of its mode where that is
// reported, else the first.
func measured(v *view.Run, m *published.Measurement) (found []*view.UPF) {
	for _, d := range v.UPFs {
		if m.Driver != "" && d.Name == m.Driver && (m.Mode == d.Mode || m.Mode == "") {
			found = append(found, d)
			if m.Mode == "" {
				return found // once is enough: it cannot be compared
			}
		}
	}
	return found
}

func (s study) section(v *view.Run) block.Section {
	out := block.Section{Title: fmt.Sprintf("%s (%d)", s.Source.Title, s.Source.Year),
		Blocks: []block.Block{block.Note{Tone: block.Muted, Text: s.Source.Authors + ":", URL: s.Source.URL}}}
	items := conditions(s.Study)
	items = append(items, block.Texts(s.Remarks)...)
	out.Blocks = append(out.Blocks, block.Section{Title: "Conditions, and what speaks against its figures",
		Fold: true, Blocks: []block.Block{block.List{Items: items}}})
	for _, kind := range []string{published.KindLoad, published.KindLatency} {
		if t := pairTable(kind, s.Pairs); len(t.Rows) > 0 {
			out.Blocks = append(out.Blocks, t)
		}
	}
	if len(s.Alone) > 0 {
		out.Blocks = append(out.Blocks, block.Table{Title: "Not comparable with a figure of this run", Columns: aloneColumns(), Rows: s.Alone})
	}
	out.Blocks = append(out.Blocks, extent(v, s.Study))
	if len(s.Lacks) > 0 {
		out.Blocks = append(out.Blocks,
			block.Note{Tone: block.Muted, Text: "It also has figures of UPFs that are not in this run: " +
				strings.Join(s.Lacks, ", ") + "."})
	}
	return out
}

// extent says of the rows of this run's UPFs how far upflab repeats them, and beside which figure; its title
// counts all rows of the study. The commands are on the study's page.
func extent(v *view.Run, s *published.Study) block.Section {
	one := []published.Study{*s}
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Words("Direction"), block.Prose("What"), block.Words("Repeated"),
		block.Prose("Figure of another run"), block.Prose("What differs, or why not")}}
	for i := range s.Measurements {
		if m := &s.Measurements[i]; alone(m) || len(measured(v, m)) > 0 {
			r := s.Repeat(m)
			t.Rows = append(t.Rows, block.Row{Tone: block.Muted, Cells: block.Cells(label(m), m.Direction, what(m), r.How, m.Ours, r.Text)})
		}
	}
	return block.Section{Fold: true, Blocks: []block.Block{t},
		Title: fmt.Sprintf("Of its %s upflab repeats %d, and %d in part: docs/studies/%s.md", units.Plural(len(s.Measurements), "row"),
			published.Count(one, published.Repeated), published.Count(one, published.InPart), s.Source.Key)}
}

// pairTable has two lines for each pair: theirs, ours.
func pairTable(kind string, pairs []pair) block.Table {
	quantities := compared(kind)
	t := block.Table{Title: strings.ToUpper(kind[:1]) + kind[1:] + ", next to a trial of this run",
		Columns: []block.Column{block.Merged("UPF"), block.Merged("Direction"), block.Key("Whose"), block.Number("Load", "")}}
	for _, q := range quantities {
		t.Columns = append(t.Columns, block.Number(q.Name, q.Unit))
	}
	t.Columns = append(t.Columns, block.Words("Limited by"), block.Prose("What to know of it"))
	for _, p := range pairs {
		if p.Theirs.Kind == kind {
			t.Rows = append(t.Rows, p.theirs(quantities), p.ours(quantities))
		}
	}
	return t
}

func (p pair) theirs(quantities []quantity) block.Row {
	m := p.Theirs
	cells := []block.Cell{p.UPF.NameCell(), block.T(m.Direction),
		{Text: "published", Note: units.OrNone(m.Version), Short: "published"}, block.T(theirLoad(m))}
	for _, q := range quantities {
		cells = append(cells, block.T(figureOf(m, q.Quantity)))
	}
	return block.Row{Tone: block.Muted, Cells: append(cells, block.T("not reported"), block.T(m.Validity))}
}

func (p pair) ours(quantities []quantity) block.Row {
	r := p.Ours
	cells := []block.Cell{p.UPF.NameCell(), block.T(p.Theirs.Direction),
		{Text: "here", Note: units.OrNone(p.UPF.Version), Short: "here"}, block.T(units.Rate(r.OfferedPPS()))}
	for _, q := range quantities {
		cells = append(cells, q.Ours(r))
	}
	return block.Row{Cells: append(cells, r.Verdict(false), block.T(""))}
}

func aloneColumns() []block.Column {
	return []block.Column{block.Key("UPF"), block.Words("Direction"), block.Prose("What"), block.Prose("Published"),
		block.Prose("Why it cannot be compared"),
		block.Prose("What to know of it").In(block.Pages)}
}

func aloneRow(d *view.UPF, m *published.Measurement, why string) block.Row {
	name := block.T(d.Label)
	if m.Mode == "" {
		name.Text = d.Name
	}
	return block.Row{Tone: block.Muted,
		Cells: append([]block.Cell{name}, block.Cells(m.Direction, what(m), figureList(m), why, m.Validity)...)}
}
