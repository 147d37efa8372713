package upf

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaHasEveryKey: the schema and the reader know the same keys.
func TestSchemaHasEveryKey(t *testing.T) {
	var inSchema, read []string
	var walk func(prefix string, s *jsonschema.Schema)
	walk = func(prefix string, s *jsonschema.Schema) {
		for name, property := range s.Properties {
			inSchema = append(inSchema, prefix+name)
			walk(prefix+name+".", property)
		}
	}
	walk("", compileSchema(t))
	var fields func(prefix string, of reflect.Type)
	fields = func(prefix string, of reflect.Type) {
		for f := range of.Fields() {
			name := prefix + f.Tag.Get("yaml")
			read = append(read, name)
			if f.Type.Kind() == reflect.Struct {
				fields(name+".", f.Type)
			}
		}
	}
	fields("", reflect.TypeFor[file]())
	slices.Sort(inSchema)
	slices.Sort(read)
	if !slices.Equal(inSchema, read) {
		t.Errorf("the schema has\n%v\nthe reader has\n%v", inSchema, read)
	}
}

// valid reports whether a text is right by the schema.
func valid(t *testing.T, text string) error {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return compileSchema(t).Validate(value)
}

// uncomment makes keys of the example that are commented out part of it.
func uncomment(text string) string {
	return regexp.MustCompile(`(?m)^( *)# ( *[a-z0-9_]+:( |$))`).ReplaceAllString(text, "$1$2")
}

// TestExample: it is right, also with what is commented out, and has every key but a
// calibrator's.
func TestExample(t *testing.T) {
	for _, text := range []string{Example, withoutForeign(uncomment(Example))} {
		if _, err := ParseConfig("example.yaml", []byte(text)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		if err := valid(t, text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	var value map[string]any
	if err := yaml.Unmarshal([]byte(uncomment(Example)), &value); err != nil {
		t.Fatal(err)
	}
	schema := compileSchema(t)
	for name, property := range schema.Properties {
		section, _ := value[name].(map[string]any)
		if _, has := value[name]; !has {
			t.Errorf("the example has no %s", name)
		}
		for _, key := range slices.Sorted(maps.Keys(property.Properties)) {
			if _, has := section[key]; !has && key != "calibrate" {
				t.Errorf("the example has no %s.%s", name, key)
			}
		}
	}
}

// withoutForeign leaves out the keys of other kinds of datapaths.
func withoutForeign(text string) string {
	return regexp.MustCompile(`(?m)^ *(workers|device): .*\n`).ReplaceAllString(text, "")
}

// TestSchemaRefuses: what the reader refuses for its form the schema refuses, too.
func TestSchemaRefuses(t *testing.T) {
	for _, wrong := range []string{
		"max_sessions: 0", "limits: {rules: 1}", "datapath: {kind: dpdk}", "datapath: {cpus: [a]}",
		"datapath: {cpus: [1, 1]}", "nosuch: 1", "log_format: xml", "heartbeat: {n1: 0}", "allow: {plain: [n4]}",
	} {
		text := minimal + wrong
		_, err := ParseConfig("upf.yaml", []byte(text))
		if bySchema := valid(t, text); err == nil || bySchema == nil {
			t.Errorf("%s: the reader says %v, the schema %v", wrong, err, bySchema)
		}
	}
}
