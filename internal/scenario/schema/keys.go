// Package schema knows the keys of a scenario: what each takes and means, as schema.json says, which is written
// from the types of scenarios.
package schema

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/upflab/upflab/internal/scenario/document"
)

// Name is that of the schema, in errors.
const Name = "scenario.json"

//go:embed schema.json
var text string

// Text is the schema of a scenario file (draft 2020-12).
func Text() string { return text }

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

	Kinds    []string // JSON types: "string", "integer" ...
	items    []string // JSON types of the values of a list
	Format   string   // of a value, or of the values of a list: "upflab-rate" ...
	item     bool     // is a key of the items of a list
	SetItem  []string // keys of an item that its short form gives, separated by colons
	RangeFor string   // "x-range", checked by checkRanges
}

// Accepts says what the key takes, for an error.
func (k Key) Accepts() string {
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

// ItemKinds are the JSON types of the values of a list: numbers, or else text.
func (k Key) ItemKinds() []string {
	if slices.Equal(k.items, []string{"number"}) || slices.Equal(k.items, []string{"integer"}) {
		return k.items
	}
	return []string{"string"}
}

// Keys lists every key that a scenario has, sections before their keys, in the order
// of the reference.
func Keys() []Key {
	return slices.DeleteFunc(All(), func(k Key) bool { return k.item })
}

// All has the keys of the items of lists too, below the list's path.
func All() []Key { return slices.Clone(readKeys()) }

// readKeys reads the embedded schema once.
var readKeys = sync.OnceValue(func() []Key { return KeysOf(text) })

// KeysOf reads a schema; none when it is broken, which a test rules out.
func KeysOf(schema string) []Key {
	root, err := document.ParseAll(document.NewSource(Name, schema, document.RankDefaults), []byte(schema))
	if err != nil {
		return nil
	}
	return appendKeys(nil, "", root)
}

func appendKeys(keys []Key, prefix string, object *document.Node) []Key {
	for _, f := range object.Get("properties").Entries() {
		key := keyOf(prefix+f.Key, f.Value)
		keys = append(keys, key)
		keys = appendKeys(keys, key.Path+".", f.Value)
		for _, k := range appendKeys(nil, key.Path+".", f.Value.Get("items")) {
			k.item = true
			keys = append(keys, k)
		}
	}
	return keys
}

func keyOf(path string, n *document.Node) Key {
	k := Key{
		Path: path, Type: n.Text("x-type"), Unit: n.Text("x-unit"), Doc: n.Text("description"),
		Section: n.Get("properties") != nil, RangeFor: n.Text("x-range"),
	}
	if d := n.Get("default"); d != nil {
		k.Default = d.Short()
	}
	if e := n.Get("examples"); e != nil && len(e.Items) > 0 {
		k.Example = e.Items[0].Short()
	}
	k.Range = k.RangeFor
	if lo, hi := n.Get("minimum"), n.Get("maximum"); lo != nil && hi != nil {
		k.Range = lo.Short() + ".." + hi.Short()
	}
	k.Kinds = n.Texts("type")
	k.Words = wordsOf(n)
	if items := n.Get("items"); items != nil {
		k.items = items.Texts("type")
	}
	k.Format = n.Text("format") + n.Get("items").Text("format")
	if n.Get("x-set") != nil {
		k.SetItem = n.Texts("x-set")
	}
	k.List = len(k.Kinds) == 1 && k.Kinds[0] == "array"
	return k
}

// wordsOf are the values in the enum of a schema, or in that of its items.
func wordsOf(n *document.Node) []string {
	switch {
	case n.Get("enum") != nil:
		return n.Texts("enum")
	case n.Get("items") != nil:
		return wordsOf(n.Get("items"))
	case n.Text("type") == "boolean":
		return []string{"true", "false"}
	}
	return nil
}

// Named finds a key by its dotted path.
func Named(keys []Key, path string) (Key, bool) {
	for _, k := range keys {
		if k.Path == path {
			return k, true
		}
	}
	return Key{}, false
}
