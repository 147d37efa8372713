package scenario

import (
	"slices"
	"strings"
)

// Assignment is a key and its value, as --set takes it; a value that only a file can give is "".
type Assignment struct {
	Key
	Value string
}

// SetBy lists what the file of a built-in scenario sets, in its order; what it leaves out has
// its default.
func SetBy(name string) ([]Assignment, error) {
	doc, err := fromCatalog(name)
	if err != nil {
		return nil, err
	}
	return assignments(doc.root, "", allKeys()), nil
}

func assignments(n *node, below string, keys []Key) (list []Assignment) {
	for _, f := range n.fields {
		path := below + f.key
		if f.val.kind == mapKind {
			list = append(list, assignments(f.val, path+".", keys)...)
			continue
		}
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Path == path })
		if i < 0 {
			continue
		}
		list = append(list, Assignment{keys[i], f.val.assigned(keys[i].setItem)})
	}
	return list
}

// assigned is a value as --set takes it; an item that is a map has its values with colons between
// them, which --set takes if they are just those of its short form.
func (n *node) assigned(short []string) string {
	if n.kind != listKind {
		return n.short()
	}
	var parts []string
	for _, item := range n.items {
		if item.kind != mapKind {
			parts = append(parts, item.short())
			continue
		}
		var values []string
		for i, f := range item.fields {
			if i >= len(short) || f.key != short[i] {
				return ""
			}
			values = append(values, f.val.short())
		}
		parts = append(parts, strings.Join(values, ":"))
	}
	return strings.Join(parts, ",")
}
