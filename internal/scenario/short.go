package scenario

import "strings"

// expand writes out items in their short form: "loose:0.01" for a goal with the keys
// name and loss_ratio. What does not fit is left to the schema.
func expand(root *node) {
	for _, key := range allKeys() {
		if len(key.setItem) == 0 {
			continue
		}
		for _, list := range root.findAll(key.Path) {
			for i, item := range list.items {
				list.items[i] = item.long(key)
			}
		}
	}
}

// long is the section that a text with colons is short for.
func (n *node) long(list Key) *node {
	keys := list.setItem
	text, ok := n.scalar.(string)
	if n.kind != scalarKind || !ok {
		return n
	}
	section := &node{at: n.at, kind: mapKind}
	for i, part := range strings.SplitN(text, ":", len(keys)) {
		key, _ := keyNamed(allKeys(), list.Path+"."+keys[i])
		section.fields = append(section.fields, field{key: keys[i], at: n.at, val: setScalar(n.at.src, key.kinds, part, n.at.column)})
	}
	return section
}
