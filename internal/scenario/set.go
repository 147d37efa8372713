package scenario

import (
	"slices"
	"strconv"
	"strings"
)

// setPrefix begins the name of an argument as a source of values.
const setPrefix = "--set "

// Set changes one key of a document, as --set does: "payload=64",
// "n3.gnb=172.16.3.1", "loads=150k,max". The value is checked with the rest of
// the document by Scenario; a key that does not exist is an *Error here.
func Set(doc *Document, arg string) error {
	src := newSource(setPrefix+arg, arg, rankSet)
	if err := src.readable(); err != nil {
		return err
	}
	path, value, found := strings.Cut(arg, "=")
	path = strings.TrimSpace(path)
	keys := Keys()
	key, known := keyNamed(keys, path)
	switch {
	case path == "" || !found:
		return src.fail(1, len([]rune(path))+1, "%q is not KEY=VALUE, as in payload=64; %s", arg, listOfKeys)
	case !known:
		return src.fail(1, 1, "unknown key %q%s; %s", path, hintForKey(keys, "", path), listOfKeys)
	case key.Section:
		return src.fail(1, 1, "%s is a section; set one of its keys: %s", path, below(keys, path))
	case strings.TrimSpace(value) == "" && key.Range+key.Default != "":
		return src.fail(1, len([]rune(arg))+1, "%s has no value; %s", path, key.accepts())
	}
	if len(key.setItem) > 0 && strings.Contains(value, "{") {
		return src.fail(1, len([]rune(path))+2,
			"%s takes the short form %s here, separated by commas; write sections of more keys into a scenario file",
			path, strings.Join(key.setItem, ":"))
	}
	column := len([]rune(arg)) - len([]rune(value)) + 1
	doc.root.put(path, src.at(1, 1), setValue(src, key, value, column))
	return nil
}

// setValue makes the value of an argument a node; the values of a list are
// separated by commas, with or without brackets. No value is an empty list.
func setValue(src *source, key Key, value string, column int) *node {
	if !key.List {
		return setScalar(src, key.kinds, value, column)
	}
	list := &node{at: src.at(1, column), kind: listKind}
	if inner, ok := strings.CutPrefix(value, "["); ok {
		value, column = strings.TrimSuffix(inner, "]"), column+1
	}
	if strings.TrimSpace(value) == "" {
		return list
	}
	for part := range strings.SplitSeq(value, ",") {
		list.items = append(list.items, setScalar(src, key.itemKinds(), part, column))
		column += len([]rune(part)) + 1
	}
	return list
}

// itemKinds are the JSON types of the values of a list: numbers, or else text.
func (k Key) itemKinds() []string {
	if slices.Equal(k.items, []string{"number"}) || slices.Equal(k.items, []string{"integer"}) {
		return k.items
	}
	return []string{"string"}
}

// setScalar keeps text as text where the key takes text; elsewhere a number is
// a number.
func setScalar(src *source, kinds []string, text string, column int) *node {
	trimmed := strings.TrimSpace(text)
	indent := len([]rune(text)) - len([]rune(strings.TrimLeft(text, " \t")))
	n := &node{at: src.at(1, column+indent), scalar: trimmed}
	if slices.Contains(kinds, "string") {
		return n
	}
	if slices.Contains(kinds, "boolean") {
		if trimmed == "true" || trimmed == "false" {
			n.scalar = trimmed == "true"
		}
		return n
	}
	if i, err := strconv.ParseInt(trimmed, 0, 64); err == nil {
		n.scalar = i
	} else if f, err := strconv.ParseFloat(trimmed, 64); err == nil {
		n.scalar = wholeOrFloat(f)
	}
	return n
}

// below lists the keys of a section that take a value.
func below(keys []Key, section string) string {
	var all []string
	for _, k := range keys {
		if !k.Section && strings.HasPrefix(k.Path, section+".") {
			all = append(all, k.Path)
		}
	}
	return strings.Join(all, ", ")
}
