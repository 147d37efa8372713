package scenario

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
)

// Assignment is a key and its value, as --set takes it; a value that only a file can give is "".
type Assignment struct {
	schema.Key
	Value string
}

// SetBy lists what the file of a built-in scenario sets, in its order; what it leaves out has
// its default.
func SetBy(name string) ([]Assignment, error) {
	doc, err := fromCatalog(name)
	if err != nil {
		return nil, err
	}
	return assignments(doc.root, "", schema.All()), nil
}

func assignments(n *document.Node, below string, keys []schema.Key) (list []Assignment) {
	for _, f := range n.Fields {
		path := below + f.Key
		if f.Value.Kind == document.MapKind {
			list = append(list, assignments(f.Value, path+".", keys)...)
			continue
		}
		i := slices.IndexFunc(keys, func(k schema.Key) bool { return k.Path == path })
		if i < 0 {
			continue
		}
		list = append(list, Assignment{keys[i], assigned(f.Value, keys[i].SetItem)})
	}
	return list
}

// assigned is a value as --set takes it; an item that is a map has its values with colons between
// them, which --set takes if they are just those of its short form.
func assigned(n *document.Node, short []string) string {
	if n.Kind != document.ListKind {
		return n.Short()
	}
	var parts []string
	for _, item := range n.Items {
		if item.Kind != document.MapKind {
			parts = append(parts, item.Short())
			continue
		}
		var values []string
		for i, f := range item.Fields {
			if i >= len(short) || f.Key != short[i] {
				return ""
			}
			values = append(values, f.Value.Short())
		}
		parts = append(parts, strings.Join(values, ":"))
	}
	return strings.Join(parts, ",")
}
