package scenario

import "strings"

// fillDefaults gives sections and items that are there the keys that they leave out
// and load-latency does not have: external.dialect is one.
func fillDefaults(root *node) {
	for _, key := range allKeys() {
		dot := strings.LastIndexByte(key.Path, '.')
		if key.Default == "" || dot < 0 {
			continue
		}
		section, name := key.Path[:dot], key.Path[dot+1:]
		for _, found := range root.findAll(section) {
			for _, n := range found.values() {
				if n.kind == mapKind && n.get(name) == nil {
					n.put(name, n.at, setScalar(n.at.src, key.kinds, key.Default, n.at.column))
				}
			}
		}
	}
}
