package scenario

import (
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
	doc.root.Put(path, src.At(1, 1), key.Node(src, value, column))
	return nil
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
