package html

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/upflab/upflab/internal/report/block"
)

const (
	topLevel = 2 // that of the headings below the page's
	// contentsLeast is from how many headed sections on a page has contents.
	contentsLeast = 4
)

// part is a section as the templates show it: its heading has a place among the page's, and an address.
type part struct {
	block.Section
	ID     string
	Level  int  // of the heading
	Within bool // another section
	Blocks []any
}

// answers are those of the document, below a heading of their own.
type answers struct {
	block.Answers
	ID string
}

// link is an entry of the contents.
type link struct {
	ID, Title string
	Below     []link
}

// tree makes parts of a document and collects its contents.
type tree struct {
	ids      map[string]bool
	contents []link
}

// parts are the sections that have something to show, with headings of a level.
func (t *tree) parts(sections []block.Section, level int) (list []part) {
	for _, s := range sections {
		if len(block.Visible([]block.Block{s}, block.HTML)) > 0 {
			list = append(list, t.part(s, level, false))
		}
	}
	return list
}

func (t *tree) part(s block.Section, level int, within bool) part {
	p := part{Section: s, Level: level, Within: within}
	if s.Title != "" {
		p.ID = t.id(s.Title)
		level++
		if !within {
			t.contents = append(t.contents, link{ID: p.ID, Title: s.Title})
		}
	}
	for _, b := range block.Visible(s.Blocks, block.HTML) {
		p.Blocks = append(p.Blocks, t.shown(b, s.Title, level))
	}
	return p
}

// shown is a block as the templates take it.
func (t *tree) shown(b block.Block, of string, level int) any {
	switch b := b.(type) {
	case block.Section:
		p := t.part(b, level, true)
		if p.Title != "" && !p.Fold && level == topLevel+1 {
			t.below(link{ID: p.ID, Title: p.Title})
		}
		return p
	case block.Figure:
		f := drawn(b)
		f.Level, f.ID = level, t.id(b.ID)
		if level == topLevel+1 {
			t.below(link{ID: f.ID, Title: b.Title})
		}
		return f
	case block.Table:
		return layOut(b, of)
	case block.Answers:
		const title = "Answers"
		a := answers{Answers: b, ID: t.id(title)}
		t.contents = append(t.contents, link{ID: a.ID, Title: title})
		return a
	}
	return b
}

// below adds an entry below the last one.
func (t *tree) below(l link) {
	if n := len(t.contents); n > 0 {
		t.contents[n-1].Below = append(t.contents[n-1].Below, l)
	}
}

// id makes an address of a text that no other part of the page has.
func (t *tree) id(text string) string {
	id := strings.Trim(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '-'
	}, text), "-")
	for strings.Contains(id, "--") {
		id = strings.ReplaceAll(id, "--", "-")
	}
	if t.ids == nil {
		t.ids = map[string]bool{"": true, "main": true, "tip": true, "theme": true, "log": true} // the page's own
	}
	free := id
	for n := 2; t.ids[free]; n++ {
		free = fmt.Sprintf("%s-%d", id, n)
	}
	t.ids[free] = true
	return free
}

// heading is one of a level from 2 to 6.
type heading struct {
	Level int
	Text  string
}

func newHeading(level int, text string) heading { return heading{min(level, 6), text} }
