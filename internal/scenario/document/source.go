package document

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/upflab/upflab/internal/text/printable"
)

func (s *Source) Fail(line, column int, format string, args ...any) error {
	return AsError([]Problem{ProblemAt(s.At(line, column), "", format, args...)})
}

// Source is a text that values come from: a file, or an argument of --set.
type Source struct {
	name  string
	lines []string
	Rank  int // of several sources of a contradiction, the highest is blamed
}

// The ranks: defaults lose against a file, a file against --set.
const (
	RankDefaults = iota
	RankFile
	RankSet
)

// NewSource makes a text a source of values.
func NewSource(name string, text string, rank int) *Source {
	return &Source{name: name, lines: strings.Split(text, "\n"), Rank: rank}
}

// Mark is a place in a source; line and column count from 1, columns in runes.
type Mark struct {
	Source *Source
	line   int
	Column int
}

// The part of the source that an excerpt shows.
const (
	excerptLines = 2  // before and after the line in question
	excerptWidth = 96 // runes of a line
)

// excerpt shows the line of m and its neighbours, with a caret under the column.
func (m Mark) excerpt() string {
	var b strings.Builder
	from := max(1, m.line-excerptLines)
	to := min(len(m.Source.lines), m.line+excerptLines)
	start := max(0, m.Column-1-excerptWidth*2/3)
	for n := from; n <= to; n++ {
		sign := ' '
		if n == m.line {
			sign = '>'
		}
		line := fmt.Sprintf("%c %3d | %s", sign, n, window(m.Source.lines[n-1], start))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		if n == m.line {
			fmt.Fprintf(&b, "      | %s^\n", strings.Repeat(" ", m.Column-1-start))
		}
	}
	return b.String()
}

// window is the visible part of a line; a control character becomes one space,
// so that it neither shifts the caret nor reaches the terminal.
func window(line string, start int) string {
	runes := []rune(strings.TrimSuffix(line, "\r"))
	runes = runes[min(start, len(runes)):]
	return printable.Only(string(runes[:min(len(runes), excerptWidth)]), ' ', "")
}

// Readable refuses bytes that are not UTF-8 text.
func (s *Source) Readable() error {
	for i, line := range s.lines {
		if !utf8.ValidString(line) {
			good := strings.IndexRune(strings.ToValidUTF8(line, "\uFFFD"), '\uFFFD')
			return s.Fail(i+1, utf8.RuneCountInString(line[:good])+1, "not UTF-8 text here; save the file as UTF-8")
		}
	}
	return nil
}

// At makes a mark, moved inside the source if a parser reports a place outside.
func (s *Source) At(line, column int) Mark {
	line = min(max(line, 1), len(s.lines))
	width := len([]rune(s.lines[line-1]))
	return Mark{Source: s, line: line, Column: min(max(column, 1), width+1)}
}
