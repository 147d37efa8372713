package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// decode turns a valid tree into a Scenario. It goes through JSON, which is YAML that
// needs no quoting rules.
func decode(root *node) (*Scenario, error) {
	formats := map[string]string{}
	for _, key := range allKeys() {
		formats[key.Path] = key.format
	}
	text, err := json.Marshal(typed(root, "", formats))
	if err != nil {
		return nil, fmt.Errorf("decode a scenario: %w", err)
	}
	s := new(Scenario)
	if err := yaml.UnmarshalWithOptions(text, s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("decode a scenario: %w", err)
	}
	return s, nil
}

// typed is the tree as the fields of Scenario take it: values that may be written in
// several ways have one form.
func typed(n *node, path string, formats map[string]string) any {
	switch n.kind {
	case mapKind:
		m := make(map[string]any, len(n.fields))
		for _, f := range n.fields {
			m[f.key] = typed(f.val, join(path, f.key), formats)
		}
		return m
	case listKind:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = typed(item, path, formats)
		}
		return list
	}
	return oneForm(formats[path], n)
}

// oneForm is a scalar that its format has passed.
func oneForm(format string, n *node) any {
	switch format {
	case "upflab-load", "upflab-rate":
		load, _ := ParseLoad(n.short())
		return load.String()
	case "upflab-duration":
		d, _ := ParseDuration(n.short())
		return d.String()
	case "upflab-size":
		size, _ := ParseSize(n.short())
		return size
	case "upflab-sizes", "upflab-cpus":
		return n.short()
	}
	if v, fraction := n.scalar.(float64); fraction { // the decoder takes no exponent for a type of its own
		return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
	}
	return n.scalar
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

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
	if strings.HasPrefix(p.File, setPrefix) { // its line is always the first
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

func problemAt(m mark, key, format string, args ...any) Problem {
	return Problem{
		File: m.src.name, Line: m.line, Column: m.column, Key: key,
		Message: fmt.Sprintf(format, args...), Excerpt: m.excerpt(),
	}
}

// asError sorts the problems and drops repeats at one place; nil when there
// are none.
func asError(problems []Problem) error {
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
