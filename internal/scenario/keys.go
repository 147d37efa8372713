package scenario

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Key describes one key of a scenario, as its field in the types of this package does.
type Key struct {
	Path    string // dotted, as --set takes it: "n3.gnb"
	Type    string // "a size", "an integer", "a list of rates or max"
	Unit    string // "bytes", "packets/s"; "" when it has none
	Default string // as written in a file; "" when there is none
	Range   string // "32..8900"; "" when the type says it all
	Example string // as --set takes it
	Doc     string // what it is, one or two sentences
	List    bool   // takes several values
	Section bool   // holds keys, takes no value itself
	// Words are all values that it takes, or all that a list is made of; nil where any other text may do.
	Words []string

	kinds    []string // JSON types: "string", "integer" ...
	items    []string // JSON types of the values of a list
	format   string   // of a value, or of the values of a list: "upflab-rate" ...
	item     bool     // is a key of the items of a list
	setItem  []string // keys of an item that its short form gives, separated by colons
	rangeFor string   // "x-range", checked by checkRanges
}

// accepts says what the key takes, for an error.
func (k Key) accepts() string {
	if k.Section {
		return fmt.Sprintf("%s is a section: its keys go indented below it", k.Path)
	}
	return fmt.Sprintf("%s takes %s, for example %s", k.Path, k.Takes(), k.Example)
}

// Takes says which values the key has: "an integer, 1..63".
func (k Key) Takes() string {
	if k.Section {
		return "a section"
	}
	text := k.Type
	if k.Range != "" {
		text += ", " + k.Range
	}
	if k.Unit != "" && k.Type != "a duration" { // whose range has the units
		text += " " + k.Unit
	}
	return text
}

// Keys lists every key that a scenario has, sections before their keys, in the order
// of the reference.
func Keys() []Key {
	return slices.DeleteFunc(allKeys(), func(k Key) bool { return k.item })
}

// allKeys has the keys of the items of lists too, below the list's path.
func allKeys() []Key { return slices.Clone(readKeys()) }

// readKeys reads the embedded schema once.
var readKeys = sync.OnceValue(func() []Key { return keysOf(schemaText) })

// keysOf reads a schema; none when it is broken, which a test rules out.
func keysOf(schema string) []Key {
	root, err := parseAll(newSource(schemaName, schema, rankDefaults), []byte(schema))
	if err != nil {
		return nil
	}
	return appendKeys(nil, "", root)
}

func appendKeys(keys []Key, prefix string, object *node) []Key {
	for _, f := range object.get("properties").entries() {
		key := keyOf(prefix+f.key, f.val)
		keys = append(keys, key)
		keys = appendKeys(keys, key.Path+".", f.val)
		for _, k := range appendKeys(nil, key.Path+".", f.val.get("items")) {
			k.item = true
			keys = append(keys, k)
		}
	}
	return keys
}

// entries is the fields of a map; none of nil.
func (n *node) entries() []field {
	if n == nil {
		return nil
	}
	return n.fields
}

func keyOf(path string, n *node) Key {
	k := Key{
		Path: path, Type: n.text("x-type"), Unit: n.text("x-unit"), Doc: n.text("description"),
		Section: n.get("properties") != nil, rangeFor: n.text("x-range"),
	}
	if d := n.get("default"); d != nil {
		k.Default = d.short()
	}
	if e := n.get("examples"); e != nil && len(e.items) > 0 {
		k.Example = e.items[0].short()
	}
	k.Range = k.rangeFor
	if lo, hi := n.get("minimum"), n.get("maximum"); lo != nil && hi != nil {
		k.Range = lo.short() + ".." + hi.short()
	}
	k.kinds = n.texts("type")
	k.Words = wordsOf(n)
	if items := n.get("items"); items != nil {
		k.items = items.texts("type")
	}
	k.format = n.text("format") + n.get("items").text("format")
	if n.get("x-set") != nil {
		k.setItem = n.texts("x-set")
	}
	k.List = len(k.kinds) == 1 && k.kinds[0] == "array"
	return k
}

// wordsOf are the values in the enum of a schema, or in that of its items.
func wordsOf(n *node) []string {
	switch {
	case n.get("enum") != nil:
		return n.texts("enum")
	case n.get("items") != nil:
		return wordsOf(n.get("items"))
	case n.text("type") == "boolean":
		return []string{"true", "false"}
	}
	return nil
}

// text is a string below a key; "" when it is not there.
func (n *node) text(key string) string {
	if v := n.get(key); v != nil {
		text, _ := v.scalar.(string)
		return text
	}
	return ""
}

// texts is a string or a list of strings below a key.
func (n *node) texts(key string) []string {
	v := n.get(key)
	if v == nil || v.kind != listKind {
		return []string{n.text(key)}
	}
	var all []string
	for _, item := range v.items {
		all = append(all, item.short())
	}
	return all
}

// short is a value on one line, as --set takes it.
func (n *node) short() string {
	switch n.kind {
	case mapKind:
		return "{...}"
	case listKind:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = item.short()
		}
		return strings.Join(parts, ",")
	}
	if n.scalar == nil {
		return ""
	}
	return fmt.Sprint(n.scalar)
}

// describe names what a node is, for an error.
func (n *node) describe() string {
	switch {
	case n.kind == mapKind:
		return "a section with keys"
	case n.kind == listKind && len(n.items) == 0:
		return "an empty list"
	case n.kind == listKind:
		return "a list"
	case n.scalar == nil:
		return "empty"
	}
	if text, ok := n.scalar.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprint(n.scalar)
}

// keyNamed finds a key by its dotted path.
func keyNamed(keys []Key, path string) (Key, bool) {
	for _, k := range keys {
		if k.Path == path {
			return k, true
		}
	}
	return Key{}, false
}
