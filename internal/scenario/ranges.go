package scenario

import (
	"fmt"
	"strings"
)

// checkRanges holds values with a unit against the range that the schema names
// in x-range; plain integers are JSON Schema's own minimum and maximum.
func checkRanges(root *node) []Problem {
	var problems []Problem
	for _, key := range allKeys() {
		if key.rangeFor == "" {
			continue
		}
		for _, found := range root.findAll(key.Path) {
			for _, v := range found.values() {
				if p, bad := outOfRange(key, v); bad {
					problems = append(problems, p)
				}
			}
		}
	}
	return problems
}

// findAll follows a dotted key, and through the items of lists all of them.
func (n *node) findAll(path string) []*node {
	at := []*node{n}
	for part := range strings.SplitSeq(path, ".") {
		var next []*node
		for _, above := range at {
			for _, holder := range above.values() {
				if v := holder.get(part); v != nil {
					next = append(next, v)
				}
			}
		}
		at = next
	}
	return at
}

// values is the items of a list, or the value itself.
func (n *node) values() []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == listKind:
		return n.items
	}
	return []*node{n}
}

func outOfRange(key Key, v *node) (Problem, bool) {
	low, high, _ := strings.Cut(key.rangeFor, "..")
	got, err := magnitude(key, v.short())
	if err != nil || v.short() == "max" || v.short() == "recorded" || v.short() == "auto" {
		return Problem{}, false
	}
	from, errFrom := magnitude(key, low)
	to, errTo := magnitude(key, high)
	if errFrom != nil || errTo != nil || (from <= got && got <= to) {
		return Problem{}, false
	}
	return problemAt(v.at, key.Path, "%s is %s, out of range; %s", key.Path, v.describe(), key.accepts()), true
}

// magnitude is a value of the key's type as a number.
func magnitude(key Key, text string) (float64, error) {
	switch key.format {
	case "upflab-size":
		n, err := ParseSize(text)
		return float64(n), err
	case "upflab-duration":
		d, err := ParseDuration(text)
		return float64(d.Duration), err
	case "upflab-rate", "upflab-load":
		l, err := ParseLoad(text)
		return l.PPS, err
	}
	return 0, fmt.Errorf("%s has a range but no unit", key.Path)
}
