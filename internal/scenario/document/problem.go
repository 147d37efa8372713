package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a scenario, and where.
type Problem struct {
	File    string // path, name of a built-in scenario, or the --set argument
	Line    int    // from 1
	Column  int    // from 1, in characters
	Key     string // dotted, as --set takes it; "" for the file as a whole
	Message string // what is wrong and what is accepted
	Excerpt string // the lines around it, a caret under the column
}

// String is the problem as a compiler prints it, with its excerpt.
func (p Problem) String() string {
	if strings.HasPrefix(p.File, SetPrefix) { // its line is always the first
		return fmt.Sprintf("%s: %s\n%s", p.File, p.Message, p.Excerpt)
	}
	return fmt.Sprintf("%s:%d:%d: %s\n%s", p.File, p.Line, p.Column, p.Message, p.Excerpt)
}

// Error holds all problems of a scenario, in the order of the file.
type Error struct {
	Problems []Problem
}

// Error lists the problems, each with the source lines it is about.
func (e *Error) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		texts[i] = strings.TrimRight(p.String(), "\n")
	}
	return strings.Join(texts, "\n")
}

// ProblemAt is a problem at a place.
func ProblemAt(m Mark, key, format string, args ...any) Problem {
	return Problem{
		File: m.Source.name, Line: m.line, Column: m.Column, Key: key,
		Message: fmt.Sprintf(format, args...), Excerpt: m.excerpt(),
	}
}

// AsError sorts the problems and drops repeats at one place; nil when there
// are none.
func AsError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	problems = slices.CompactFunc(problems, func(a, b Problem) bool {
		return a.File == b.File && a.Line == b.Line && a.Column == b.Column && a.Key == b.Key
	})
	return &Error{Problems: problems}
}

// SetPrefix begins the name of an argument as a source of values.
const SetPrefix = "--set "
