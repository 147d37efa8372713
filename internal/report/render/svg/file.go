package svg

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/safefile"
)

// allViews is up to how many alternatives of a figure are all written; of more, only
// the one that the report shows first.
const allViews = 4

// Write writes the figures of a document into a folder for a publication, which it makes: each
// panel as a file, 3.5 inches wide, the column of most journals, and captions.md. It returns the
// files' names without their ending. It is an error when there is no figure.
func Write(folder string, d block.Document) (names []string, err error) {
	all := pictures(d)
	if len(all) == 0 {
		return nil, fmt.Errorf("this report has no figure: its run has no trial with several loads, a histogram or a series")
	}
	if err := safefile.MakeFolder(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the figures: %w", err)
	}
	for _, p := range all {
		if err := p.write(folder); err != nil {
			return names, err
		}
		names = append(names, p.name)
	}
	return names, save(folder, "captions.md", captions(d.Title, all))
}

// picture is one panel with what it needs of its figure.
type picture struct {
	name    string // of the files, without ending
	part    string
	figure  block.Figure
	view    block.View
	panel   block.Panel
	leftOut int // alternatives that are not written
}

// pictures lists the panels of a document, in its order.
func pictures(d block.Document) (all []picture) {
	used := map[string]int{}
	for _, f := range figures(d.Sections, "") {
		for _, p := range f.pictures() {
			if used[p.name]++; used[p.name] > 1 { // the same figure of another size of packets
				p.name = fmt.Sprintf("%s-%d", p.name, used[p.name])
			}
			all = append(all, p)
		}
	}
	return all
}

// placed is a figure with the part of the report that it is in: a size of packets, an
// arrival process; "" where there is one.
type placed struct {
	block.Figure
	part string
}

func figures(sections []block.Section, part string) (list []placed) {
	for _, s := range sections {
		for _, b := range s.Blocks {
			switch b := b.(type) {
			case block.Figure:
				list = append(list, placed{b, part})
			case block.Section:
				list = append(list, figures([]block.Section{b}, s.Title)...)
			}
		}
	}
	return list
}

func (f placed) pictures() (list []picture) {
	views, left := f.Views, 0
	if len(views) > allViews {
		views, left = views[f.Start:f.Start+1], len(views)-1
	}
	for _, one := range views {
		for _, p := range one.Panels {
			if len(p.Series) > 0 || p.Heat != nil {
				list = append(list, picture{name: f.name(one, p), part: f.part, figure: f.Figure, view: one, panel: p, leftOut: left})
			}
		}
	}
	return list
}

// name is that of a panel's files: with what tells it from others of the figure.
func (f placed) name(one block.View, p block.Panel) string {
	parts := []string{"figure", f.ID, f.part}
	if len(f.Views) > 1 {
		parts = append(parts, one.Name)
	}
	if len(one.Panels) > 1 {
		parts = append(parts, p.Title)
	}
	return slug(parts)
}

// slug joins texts to the name of a file.
func slug(parts []string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.Join(parts, " ")), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}

func (p picture) write(folder string) error { return save(folder, p.name+".svg", []byte(p.file())) }

// Sizes of a file in the units of its drawing, which are pixels in a page: letters of a tick are
// 6.9 points high in print.
const (
	fileWidth = 440
	fileInch  = 3.5
	rowHigh   = 17 // of a legend
	rowGap    = 14 // between its entries
)

// file is the panel alone, with its legend above it, in the colors of paper.
func (p picture) file() string {
	c := Draw(p.figure, p.view, p.panel, Choice{Width: fileWidth - left - right})
	legend, over := fileLegend(Legend(p.figure, block.View{Panels: []block.Panel{p.panel}}))
	high := over + c.Above + c.Height + c.Below
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%sin" height="%sin" viewBox="0 0 %d %s" role="img">
<title>%s</title><desc>%s</desc>
<style>%s</style>%s
%s<svg x="%s" y="%s" width="%s" height="%s" overflow="visible">%s</svg>
</svg>
`, n(fileInch), n(fileInch*high/fileWidth), fileWidth, n(high), esc(p.title()), esc(p.caption()), onPaper(), Marks,
		legend, n(c.Left), n(over+c.Above), n(fileWidth-c.Left-c.Right), n(c.Height), c.Inside)
}

// fileLegend lays the entries out in rows, and gives their height.
func fileLegend(list []Entry) (drawn string, high float64) {
	x, rows := float64(fileWidth), 0
	var b strings.Builder
	for _, e := range list {
		wide := 36 + textWidth(e.Text)
		if x+wide > fileWidth {
			x, rows = 4, rows+1
		}
		y := float64(rows * rowHigh)
		fmt.Fprintf(&b, `<svg x="%s" y="%s" width="30" height="14">%s</svg><text x="%s" y="%s" class="tick">%s</text>`+"\n",
			n(x), n(y-12), e.Sample, n(x+34), n(y), esc(e.Text))
		x += wide + rowGap
	}
	if rows > 0 {
		high = float64(rows*rowHigh) + 4
	}
	return b.String(), high
}

// textWidth is about how wide a text of 12 pixels is in Arial and its like.
func textWidth(text string) (wide float64) {
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijlt.,:;'|!()/ ", r):
			wide += 3.6
		case unicode.IsUpper(r), strings.ContainsRune("mw%@", r):
			wide += 9.2
		default:
			wide += 6.7
		}
	}
	return wide
}

// onPaper is the style with the light colors in place of variables, which not every program that
// reads SVG knows. It is the same for all files.
var onPaper = sync.OnceValue(func() string {
	screen := strings.Index(Style, "@media")
	rules := strings.LastIndex(Style, "/* charts */")
	var values []string
	for _, v := range regexp.MustCompile(`(--[a-z0-9-]+): (#[0-9a-f]+);`).FindAllStringSubmatch(Style[:screen], -1) {
		values = append(values, "var("+v[1]+")", v[2])
	}
	return "svg { font-family: Arial, 'Liberation Sans', Helvetica, sans-serif; }\n" + strings.NewReplacer(values...).Replace(Style[rules:])
})

func save(folder, name string, data []byte) error {
	if err := atomicfile.Write(filepath.Join(folder, name), data, 0o644); err != nil {
		return fmt.Errorf("write a figure: %w", err)
	}
	return nil
}

// captions lists what each picture shows.
func captions(title string, all []picture) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Figures of: %s\n", title)
	for _, p := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s. %s\n", p.name, p.title(), p.caption())
	}
	return b.Bytes()
}

func (p picture) title() string {
	return strings.Join(nonEmpty(p.figure.Title, p.part, p.view.Name, p.panel.Title), ", ")
}

func (p picture) caption() string {
	text := strings.Join(nonEmpty(p.view.Caption, p.figure.Caption, p.view.Note), " ")
	if p.leftOut > 0 {
		text += fmt.Sprintf(" (%d more of these are in report.html.)", p.leftOut)
	}
	return text
}

func nonEmpty(texts ...string) (list []string) {
	for _, t := range texts {
		if t != "" {
			list = append(list, t)
		}
	}
	return list
}
