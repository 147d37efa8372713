package scenario

import (
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"
)

// decode turns a valid tree into a Scenario. It goes through JSON, which is YAML that
// needs no quoting rules.
func decode(root *node) (*Scenario, error) {
	formats := map[string]string{}
	for _, key := range allKeys() {
		formats[key.Path] = key.format
	}
	text, err := json.Marshal(typed(root, "", formats))
	if err != nil {
		return nil, fmt.Errorf("decode a scenario: %w", err)
	}
	s := new(Scenario)
	if err := yaml.UnmarshalWithOptions(text, s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("decode a scenario: %w", err)
	}
	return s, nil
}

// typed is the tree as the fields of Scenario take it: values that may be written in
// several ways have one form.
func typed(n *node, path string, formats map[string]string) any {
	switch n.kind {
	case mapKind:
		m := make(map[string]any, len(n.fields))
		for _, f := range n.fields {
			m[f.key] = typed(f.val, join(path, f.key), formats)
		}
		return m
	case listKind:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = typed(item, path, formats)
		}
		return list
	}
	return oneForm(formats[path], n)
}

// oneForm is a scalar that its format has passed.
func oneForm(format string, n *node) any {
	switch format {
	case "upflab-load", "upflab-rate":
		load, _ := ParseLoad(n.short())
		return load.String()
	case "upflab-duration":
		d, _ := ParseDuration(n.short())
		return d.String()
	case "upflab-size":
		size, _ := ParseSize(n.short())
		return size
	case "upflab-sizes", "upflab-cpus":
		return n.short()
	}
	return n.scalar
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
