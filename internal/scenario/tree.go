package scenario

import (
	"strconv"
	"strings"
)

// node is a value of a document with the place it was written at. Exactly one
// of fields, items and scalar is in use, as kind says.
type node struct {
	at     mark
	kind   shape
	fields []field
	items  []*node
	scalar any // string, bool, int64, uint64, float64 or nil
}

type shape int

const (
	scalarKind shape = iota
	mapKind
	listKind
)

// field is a key of a map with the place of the key.
type field struct {
	key string
	at  mark
	val *node
}

// get is the value of a key of a map, or nil.
func (n *node) get(key string) *node {
	if f := n.field(key); f != nil {
		return f.val
	}
	return nil
}

func (n *node) field(key string) *field {
	if n == nil || n.kind != mapKind {
		return nil
	}
	for i := range n.fields {
		if n.fields[i].key == key {
			return &n.fields[i]
		}
	}
	return nil
}

// find follows a dotted key; nil when it is not there.
func (n *node) find(key string) *node {
	for part := range strings.SplitSeq(key, ".") {
		n = n.get(part)
	}
	return n
}

// follow follows a JSON pointer's parts as far as they exist.
func (n *node) follow(parts []string) *node {
	for _, part := range parts {
		next := n.get(part)
		if i, err := strconv.Atoi(part); err == nil && n.kind == listKind && i < len(n.items) {
			next = n.items[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// put sets a dotted key, making the sections on the way.
func (n *node) put(key string, at mark, val *node) {
	head, rest, deeper := strings.Cut(key, ".")
	f := n.field(head)
	if f == nil {
		n.fields = append(n.fields, field{key: head, at: at, val: &node{at: at, kind: mapKind}})
		f = &n.fields[len(n.fields)-1]
	}
	if !deeper {
		f.at, f.val = at, val
		return
	}
	if f.val.kind != mapKind {
		f.val = &node{at: at, kind: mapKind}
	}
	f.val.put(rest, at, val)
}

// under gives a tree that has top's values, and n's where top has none.
func (n *node) under(top *node) *node {
	if top == nil {
		return n
	}
	if n == nil || n.kind != mapKind || top.kind != mapKind {
		return top
	}
	merged := &node{at: top.at, kind: mapKind}
	for _, f := range n.fields {
		if over := top.field(f.key); over != nil {
			f = field{key: f.key, at: over.at, val: f.val.under(over.val)}
		}
		merged.fields = append(merged.fields, f)
	}
	for _, f := range top.fields {
		if n.field(f.key) == nil {
			merged.fields = append(merged.fields, f)
		}
	}
	return merged
}

// plain is the tree as a JSON schema sees it.
func (n *node) plain() any {
	switch n.kind {
	case mapKind:
		m := make(map[string]any, len(n.fields))
		for _, f := range n.fields {
			m[f.key] = f.val.plain()
		}
		return m
	case listKind:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.plain()
		}
		return list
	}
	return n.scalar
}
