// Package paper writes the figures of a report as files for a publication: each panel
// as SVG and as PNG, 3.5 inches wide, the column of most journals, and captions.md.
package paper

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/safefile"
)

// allViews is up to how many alternatives of a figure are all written; of more, only
// the one that the report shows first.
const allViews = 4

// Write writes all figures of a document into a folder, which it makes, and returns
// the files' names without their endings. It is an error when there is no figure.
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

func (p picture) write(folder string) error {
	d := p.draw()
	svg, err := d.svg()
	if err != nil {
		return fmt.Errorf("draw %s: %w", p.name, err)
	}
	png, err := d.png()
	if err != nil {
		return fmt.Errorf("draw %s: %w", p.name, err)
	}
	if err := save(folder, p.name+".svg", svg); err != nil {
		return err
	}
	return save(folder, p.name+".png", png)
}

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
		fmt.Fprintf(&b, "\n## %s\n\n%s.", p.name, strings.Join(nonEmpty(p.figure.Title, p.part, p.view.Name, p.panel.Title), ", "))
		for _, text := range nonEmpty(p.view.Caption, p.figure.Caption, p.view.Note) {
			fmt.Fprintf(&b, " %s", text)
		}
		if p.leftOut > 0 {
			fmt.Fprintf(&b, " (%d more of these are in report.html.)", p.leftOut)
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

func nonEmpty(texts ...string) (list []string) {
	for _, t := range texts {
		if t != "" {
			list = append(list, t)
		}
	}
	return list
}
