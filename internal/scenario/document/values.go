package document

import (
	"fmt"
	"strings"
)

// Entries is the fields of a map; none of nil.
func (n *Node) Entries() []Field {
	if n == nil {
		return nil
	}
	return n.Fields
}

// Text is a string below a key; "" when it is not there.
func (n *Node) Text(key string) string {
	if v := n.Get(key); v != nil {
		text, _ := v.Scalar.(string)
		return text
	}
	return ""
}

// Texts is a string or a list of strings below a key.
func (n *Node) Texts(key string) []string {
	v := n.Get(key)
	if v == nil || v.Kind != ListKind {
		return []string{n.Text(key)}
	}
	var all []string
	for _, item := range v.Items {
		all = append(all, item.Short())
	}
	return all
}

// Short is a value on one line, as --set takes it.
func (n *Node) Short() string {
	switch n.Kind {
	case MapKind:
		return "{...}"
	case ListKind:
		parts := make([]string, len(n.Items))
		for i, item := range n.Items {
			parts[i] = item.Short()
		}
		return strings.Join(parts, ",")
	}
	if n.Scalar == nil {
		return ""
	}
	return fmt.Sprint(n.Scalar)
}

// Describe names what a node is, for an error.
func (n *Node) Describe() string {
	switch {
	case n.Kind == MapKind:
		return "a section with keys"
	case n.Kind == ListKind && len(n.Items) == 0:
		return "an empty list"
	case n.Kind == ListKind:
		return "a list"
	case n.Scalar == nil:
		return "empty"
	}
	if text, ok := n.Scalar.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprint(n.Scalar)
}

// FindAll follows a dotted key, and through the items of lists all of them.
func (n *Node) FindAll(path string) []*Node {
	at := []*Node{n}
	for part := range strings.SplitSeq(path, ".") {
		var next []*Node
		for _, above := range at {
			for _, holder := range above.Values() {
				if v := holder.Get(part); v != nil {
					next = append(next, v)
				}
			}
		}
		at = next
	}
	return at
}

// Values is the items of a list, or the value itself.
func (n *Node) Values() []*Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == ListKind:
		return n.Items
	}
	return []*Node{n}
}

// Says reports whether a node has the value of another one; nil: it has none.
func (n *Node) Says(other *Node) bool {
	return n != nil && n.Short() == other.Short()
}
