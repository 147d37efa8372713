// Package threshold reads expressions on the figures of a result, "rx_pps >= 1M",
// "latency.p99 < 100us @ uplink 500k", "rx_pps >= 80% of wire", and says of a result
// whether they hold. Its functions are pure.
//
//	FIGURE OPERATOR LIMIT [@ WHERE...]
//
// A limit is a value with a unit, or that of another DUT or build: DUT, N * DUT, N% of DUT,
// DUT + VALUE. Where names what the threshold is for: DUTs, directions, loads, "latency"
// (the latency trial), sizes, arrival processes, kinds of flow. What is not named is all
// of it.
package threshold

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/figure"
)

// Threshold is an expression that was read.
type Threshold struct {
	Text   string
	Figure figure.Figure
	Operator
	Limit Limit
	Where Where
}

// Operator compares a value with a limit.
type Operator string

// The operators.
const (
	AtLeast Operator = ">="
	Above   Operator = ">"
	AtMost  Operator = "<="
	Below   Operator = "<"
	Equals  Operator = "=="
)

// operators are in the order in which they are looked for.
func operators() []Operator { return []Operator{AtLeast, AtMost, Equals, Above, Below} }

// Holds reports whether a value keeps a limit.
func (o Operator) Holds(value, limit float64) bool {
	switch o {
	case AtLeast:
		return value >= limit
	case Above:
		return value > limit
	case AtMost:
		return value <= limit
	case Below:
		return value < limit
	}
	return value == limit
}

// Lower reports whether the limit is one from below: values must be high.
func (o Operator) Lower() bool { return o == AtLeast || o == Above }

// Parse reads an expression.
func Parse(text string) (Threshold, error) {
	t := Threshold{Text: strings.Join(strings.Fields(text), " ")}
	what, where, named := cutWhere(t.Text)
	name, limit, err := t.split(what)
	if err != nil {
		return t, err
	}
	var known bool
	if t.Figure, known = figure.Of(name); !known {
		return t, fmt.Errorf("there is no figure %q%s; `upflab scenario figures` lists all", name, figure.Hint(name))
	}
	if t.Limit, err = parseLimit(limit, t.Figure); err != nil {
		return t, err
	}
	if !named {
		return t, nil
	}
	t.Where, err = parseWhere(where)
	return t, err
}

// build is a DUT's name with a build of it, eupf@old, where it stands in an expression.
var build = regexp.MustCompile(`(?:^|[ *<>=])[a-z][a-z0-9]*@[A-Za-z0-9]+`)

// cutWhere cuts an expression around the @ before its places, which is none of a build.
func cutWhere(text string) (what, where string, named bool) {
	hidden := build.ReplaceAllStringFunc(text, func(s string) string {
		if name := s[strings.Index(s, "@")+1:]; isPlace(name) {
			return s
		}
		return strings.Replace(s, "@", " ", 1)
	})
	at := strings.Index(hidden, "@")
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

// split finds the operator.
func (t *Threshold) split(text string) (name, limit string, err error) {
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		return "", "", fmt.Errorf("%q has no operator: write FIGURE >= LIMIT, as in rx_pps >= 1M; operators are >=, >, <=, < and ==", text)
	}
	rest := text[at:]
	found := slices.IndexFunc(operators(), func(o Operator) bool { return strings.HasPrefix(rest, string(o)) })
	if found < 0 {
		return "", "", fmt.Errorf("%q has no operator that is known; operators are >=, >, <=, < and ==", text)
	}
	t.Operator = operators()[found]
	return strings.TrimSpace(text[:at]), strings.TrimSpace(strings.TrimPrefix(rest, string(t.Operator))), nil
}
