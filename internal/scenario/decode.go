package scenario

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml"

	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
)

// decode turns a valid tree into a Scenario. It goes through JSON, which is YAML that
// needs no quoting rules.
func decode(root *document.Node) (*Scenario, error) {
	formats := map[string]string{}
	for _, key := range schema.All() {
		formats[key.Path] = key.Format
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
func typed(n *document.Node, path string, formats map[string]string) any {
	switch n.Kind {
	case document.MapKind:
		m := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			m[f.Key] = typed(f.Value, join(path, f.Key), formats)
		}
		return m
	case document.ListKind:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = typed(item, path, formats)
		}
		return list
	}
	return oneForm(formats[path], n)
}

// oneForm is a scalar that its format has passed.
func oneForm(format string, n *document.Node) any {
	switch format {
	case "upflab-load", "upflab-rate":
		load, _ := ParseLoad(n.Short())
		return load.String()
	case "upflab-duration":
		d, _ := ParseDuration(n.Short())
		return d.String()
	case "upflab-size":
		size, _ := ParseSize(n.Short())
		return size
	case "upflab-sizes", "upflab-cpus":
		return n.Short()
	}
	if v, fraction := n.Scalar.(float64); fraction { // the decoder takes no exponent for a type of its own
		return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
	}
	return n.Scalar
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
