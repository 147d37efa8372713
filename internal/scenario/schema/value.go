package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/scenario/document"
)

// Node makes the value of an argument a node; the values of a list are
// separated by commas, with or without brackets. No value is an empty list.
func (k Key) Node(src *document.Source, value string, column int) *document.Node {
	if !k.List {
		return Scalar(src, k.Kinds, value, column)
	}
	list := &document.Node{At: src.At(1, column), Kind: document.ListKind}
	if inner, ok := strings.CutPrefix(value, "["); ok {
		value, column = strings.TrimSuffix(inner, "]"), column+1
	}
	if strings.TrimSpace(value) == "" {
		return list
	}
	for part := range strings.SplitSeq(value, ",") {
		list.Items = append(list.Items, Scalar(src, k.ItemKinds(), part, column))
		column += len([]rune(part)) + 1
	}
	return list
}

// Scalar makes the text of a value a node: it keeps text as text where the key takes text; elsewhere a number is
// a number.
func Scalar(src *document.Source, kinds []string, text string, column int) *document.Node {
	trimmed := strings.TrimSpace(text)
	indent := len([]rune(text)) - len([]rune(strings.TrimLeft(text, " \t")))
	n := &document.Node{At: src.At(1, column+indent), Scalar: trimmed}
	if slices.Contains(kinds, "string") {
		return n
	}
	if slices.Contains(kinds, "boolean") {
		if trimmed == "true" || trimmed == "false" {
			n.Scalar = trimmed == "true"
		}
		return n
	}
	if i, err := strconv.ParseInt(trimmed, 0, 64); err == nil {
		n.Scalar = i
	} else if f, err := strconv.ParseFloat(trimmed, 64); err == nil {
		n.Scalar = document.WholeOrFloat(f)
	}
	return n
}
