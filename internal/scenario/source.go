package scenario

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// source is a text that values come from: a file, or an argument of --set.
type source struct {
	name  string
	lines []string
	rank  int // of several sources of a contradiction, the highest is blamed
}

// The ranks: defaults lose against a file, a file against --set.
const (
	rankDefaults = iota
	rankFile
	rankSet
)

func newSource(name string, text string, rank int) *source {
	return &source{name: name, lines: strings.Split(text, "\n"), rank: rank}
}

// mark is a place in a source; line and column count from 1, columns in runes.
type mark struct {
	src    *source
	line   int
	column int
}

// The part of the source that an excerpt shows.
const (
	excerptLines = 2  // before and after the line in question
	excerptWidth = 96 // runes of a line
)

// excerpt shows the line of m and its neighbours, with a caret under the column.
func (m mark) excerpt() string {
	var b strings.Builder
	from := max(1, m.line-excerptLines)
	to := min(len(m.src.lines), m.line+excerptLines)
	start := max(0, m.column-1-excerptWidth*2/3)
	for n := from; n <= to; n++ {
		sign := ' '
		if n == m.line {
			sign = '>'
		}
		line := fmt.Sprintf("%c %3d | %s", sign, n, window(m.src.lines[n-1], start))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		if n == m.line {
			fmt.Fprintf(&b, "      | %s^\n", strings.Repeat(" ", m.column-1-start))
		}
	}
	return b.String()
}

// window is the visible part of a line; a control character becomes one space,
// so that it neither shifts the caret nor reaches the terminal.
func window(line string, start int) string {
	runes := []rune(strings.TrimSuffix(line, "\r"))
	runes = runes[min(start, len(runes)):]
	runes = runes[:min(len(runes), excerptWidth)]
	for i, r := range runes {
		if !unicode.IsPrint(r) {
			runes[i] = ' '
		}
	}
	return string(runes)
}

// readable refuses bytes that are not UTF-8 text.
func (s *source) readable() error {
	for i, line := range s.lines {
		if !utf8.ValidString(line) {
			good := strings.IndexRune(strings.ToValidUTF8(line, "\uFFFD"), '\uFFFD')
			return s.fail(i+1, utf8.RuneCountInString(line[:good])+1, "not UTF-8 text here; save the file as UTF-8")
		}
	}
	return nil
}

// at makes a mark, moved inside the source if a parser reports a place outside.
func (s *source) at(line, column int) mark {
	line = min(max(line, 1), len(s.lines))
	width := len([]rune(s.lines[line-1]))
	return mark{src: s, line: line, column: min(max(column, 1), width+1)}
}
