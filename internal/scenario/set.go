package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
)

// Set changes one key of a document, as --set does: "payload=64",
// "n3.gnb=172.16.3.1", "loads=150k,max". The value is checked with the rest of
// the document by Scenario; a key that does not exist is an *Error here.
func Set(doc *Document, arg string) error {
	src := document.NewSource(document.SetPrefix+arg, arg, document.RankSet)
	if err := src.Readable(); err != nil {
		return err
	}
	path, value, found := strings.Cut(arg, "=")
	path = strings.TrimSpace(path)
	keys := schema.Keys()
	key, known := schema.Named(keys, path)
	switch {
	case path == "" || !found:
		return src.Fail(1, len([]rune(path))+1, "%q is not KEY=VALUE, as in payload=64; %s", arg, schema.ListOfKeys)
	case !known:
		return src.Fail(1, 1, "unknown key %q%s; %s", path, schema.HintForKey(keys, "", path), schema.ListOfKeys)
	case key.Section:
		return src.Fail(1, 1, "%s is a section; set one of its keys: %s", path, below(keys, path))
	case strings.TrimSpace(value) == "" && key.Range+key.Default != "":
		return src.Fail(1, len([]rune(arg))+1, "%s has no value; %s", path, key.Accepts())
	}
	if len(key.SetItem) > 0 && strings.Contains(value, "{") {
		return src.Fail(1, len([]rune(path))+2,
			"%s takes the short form %s here, separated by commas; write sections of more keys into a scenario file",
			path, strings.Join(key.SetItem, ":"))
	}
	column := len([]rune(arg)) - len([]rune(value)) + 1
	doc.root.Put(path, src.At(1, 1), setValue(src, key, value, column))
	return nil
}

// setValue makes the value of an argument a node; the values of a list are
// separated by commas, with or without brackets. No value is an empty list.
func setValue(src *document.Source, key schema.Key, value string, column int) *document.Node {
	if !key.List {
		return setScalar(src, key.Kinds, value, column)
	}
	list := &document.Node{At: src.At(1, column), Kind: document.ListKind}
	if inner, ok := strings.CutPrefix(value, "["); ok {
		value, column = strings.TrimSuffix(inner, "]"), column+1
	}
	if strings.TrimSpace(value) == "" {
		return list
	}
	for part := range strings.SplitSeq(value, ",") {
		list.Items = append(list.Items, setScalar(src, key.ItemKinds(), part, column))
		column += len([]rune(part)) + 1
	}
	return list
}

// setScalar keeps text as text where the key takes text; elsewhere a number is
// a number.
func setScalar(src *document.Source, kinds []string, text string, column int) *document.Node {
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

// below lists the keys of a section that take a value.
func below(keys []schema.Key, section string) string {
	var all []string
	for _, k := range keys {
		if !k.Section && strings.HasPrefix(k.Path, section+".") {
			all = append(all, k.Path)
		}
	}
	return strings.Join(all, ", ")
}
