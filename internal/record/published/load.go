package published

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed studies/*.yaml
var files embed.FS

//go:embed schema.json
var schemaText string

// Studies reads all of them, by the name of their files. It fails only when a
// file does not keep to schema.json.
func Studies() ([]Study, error) {
	entries, err := files.ReadDir("studies")
	if err != nil {
		return nil, fmt.Errorf("list the published studies: %w", err)
	}
	schema, err := compile()
	if err != nil {
		return nil, err
	}
	var all []Study
	for _, e := range entries {
		data, err := files.ReadFile(path.Join("studies", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the published figures: %w", err)
		}
		s, err := parse(schema, strings.TrimSuffix(e.Name(), ".yaml"), data)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func compile() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaText))
	if err != nil {
		return nil, fmt.Errorf("the schema of published figures is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("published.json", doc); err != nil {
		return nil, fmt.Errorf("read the schema of published figures: %w", err)
	}
	return c.Compile("published.json")
}

// parse checks one file and reads it; its key is its name.
func parse(schema *jsonschema.Schema, name string, data []byte) (Study, error) {
	fail := func(err error) (Study, error) { return Study{}, fmt.Errorf("published figures %s: %w", name, err) }
	raw, err := yaml.YAMLToJSON(data)
	if err != nil {
		return fail(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return fail(err)
	}
	if err := schema.Validate(doc); err != nil {
		return fail(err)
	}
	var s Study
	if err := json.Unmarshal(raw, &s); err != nil {
		return fail(err)
	}
	if s.Source.Key != name {
		return fail(fmt.Errorf("its key is %q: name the file after it", s.Source.Key))
	}
	used := map[string]bool{}
	for i := range s.Measurements {
		m := &s.Measurements[i]
		r, known := s.Repeats[m.RepeatedBy]
		if used[m.RepeatedBy] = true; !known {
			return fail(fmt.Errorf("measurement %d has the repeat %q, which is none of its repeats", i+1, m.RepeatedBy))
		}
		if (r.How == NotAt) != (m.Ours == "") {
			return fail(fmt.Errorf("measurement %d is repeated %q, and its own figure here is %q", i+1, r.How, m.Ours))
		}
	}
	for name := range s.Repeats {
		if !used[name] {
			return fail(fmt.Errorf("no measurement has the repeat %q", name))
		}
	}
	return s, nil
}
