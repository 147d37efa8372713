package scenario

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
)

// Effective writes a scenario as YAML with every value in it; Read reads it
// back to the same value.
func Effective(s *Scenario) (string, error) {
	data, err := yaml.MarshalWithOptions(s, yaml.IndentSequence(true), yaml.CustomMarshaler(quoteText))
	if err != nil {
		return "", fmt.Errorf("writing the scenario %s as YAML: %w", s.Name, err)
	}
	return string(data), nil
}

// quoteText puts text into quotes unless it is plain beyond doubt: the encoder
// leaves out quotes that its own parser then misses ("? x").
func quoteText(text string) ([]byte, error) {
	if isPlainText(text) {
		return []byte(text), nil
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(text)
	return []byte(strings.TrimSpace(b.String())), err
}

// isPlainText takes words that begin with a letter and that YAML does not read
// as another type.
func isPlainText(text string) bool {
	switch strings.ToLower(text) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	inside := strings.Trim(text, letters+"0123456789-._/ ()") == ""
	return inside && strings.ContainsRune(letters, rune(text[0])) && !strings.HasSuffix(text, " ")
}

// fillDefaults gives sections and items that are there the keys that they leave out
// and load-latency does not have: external.dialect is one.
func fillDefaults(root *document.Node) {
	for _, key := range schema.All() {
		dot := strings.LastIndexByte(key.Path, '.')
		if key.Default == "" || dot < 0 {
			continue
		}
		section, name := key.Path[:dot], key.Path[dot+1:]
		for _, found := range root.FindAll(section) {
			for _, n := range found.Values() {
				if n.Kind == document.MapKind && n.Get(name) == nil {
					n.Put(name, n.At, schema.Scalar(n.At.Source, key.Kinds, key.Default, n.At.Column))
				}
			}
		}
	}
}
