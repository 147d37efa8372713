// Package document reads YAML into a tree whose values know the place that they were written at.
package document

import (
	"strconv"
	"strings"
)

// Node is a value of a document with the place it was written at. Exactly one
// of fields, items and scalar is in use, as kind says.
type Node struct {
	At     Mark
	Kind   shape
	Fields []Field
	Items  []*Node
	Scalar any // string, bool, int64, uint64, float64 or nil
}

type shape int

const (
	ScalarKind shape = iota
	MapKind
	ListKind
)

// Field is a key of a map with the place of the key.
type Field struct {
	Key   string
	At    Mark
	Value *Node
}

// Get is the value of a key of a map, or nil.
func (n *Node) Get(key string) *Node {
	if f := n.Field(key); f != nil {
		return f.Value
	}
	return nil
}

func (n *Node) Field(key string) *Field {
	if n == nil || n.Kind != MapKind {
		return nil
	}
	for i := range n.Fields {
		if n.Fields[i].Key == key {
			return &n.Fields[i]
		}
	}
	return nil
}

// Find follows a dotted key; nil when it is not there.
func (n *Node) Find(key string) *Node {
	for part := range strings.SplitSeq(key, ".") {
		n = n.Get(part)
	}
	return n
}

// Follow follows a JSON pointer's parts as far as they exist.
func (n *Node) Follow(parts []string) *Node {
	for _, part := range parts {
		next := n.Get(part)
		if i, err := strconv.Atoi(part); err == nil && n.Kind == ListKind && i < len(n.Items) {
			next = n.Items[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// Put sets a dotted key, making the sections on the way.
func (n *Node) Put(key string, at Mark, val *Node) {
	head, rest, deeper := strings.Cut(key, ".")
	f := n.Field(head)
	if f == nil {
		n.Fields = append(n.Fields, Field{Key: head, At: at, Value: &Node{At: at, Kind: MapKind}})
		f = &n.Fields[len(n.Fields)-1]
	}
	if !deeper {
		f.At, f.Value = at, val
		return
	}
	if f.Value.Kind != MapKind {
		f.Value = &Node{At: at, Kind: MapKind}
	}
	f.Value.Put(rest, at, val)
}

// Under gives a tree that has top's values, and n's where top has none.
func (n *Node) Under(top *Node) *Node {
	if top == nil {
		return n
	}
	if n == nil || n.Kind != MapKind || top.Kind != MapKind {
		return top
	}
	merged := &Node{At: top.At, Kind: MapKind}
	for _, f := range n.Fields {
		if over := top.Field(f.Key); over != nil {
			f = Field{Key: f.Key, At: over.At, Value: f.Value.Under(over.Value)}
		}
		merged.Fields = append(merged.Fields, f)
	}
	for _, f := range top.Fields {
		if n.Field(f.Key) == nil {
			merged.Fields = append(merged.Fields, f)
		}
	}
	return merged
}

// Plain is the tree as a JSON schema sees it.
func (n *Node) Plain() any {
	switch n.Kind {
	case MapKind:
		m := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			m[f.Key] = f.Value.Plain()
		}
		return m
	case ListKind:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Plain()
		}
		return list
	}
	return n.Scalar
}
