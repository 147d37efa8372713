package upf

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestReferenceIsTheSchema holds docs/reference/upf-keys.md to the schema of the configuration; UPDATE_GOLDEN=1 writes it.
func TestReferenceIsTheSchema(t *testing.T) {
	const path = "../docs/reference/upf-keys.md"
	var schema yaml.MapSlice // in the order of the file
	if err := yaml.UnmarshalWithOptions([]byte(Schema), &schema, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	want := "# Configuration keys of the reference UPF\n\nThe keys of `upflab upf --config FILE` ([the UPF](../upf.md)). `upflab upf example` prints a file with all of them, " +
		"`upflab upf schema` the JSON schema that this table comes from.\n\n| key | default | range | meaning |\n|---|---|---|---|\n" +
		keyRows("", schema)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is not what the schema says (%v): UPDATE_GOLDEN=1 go test ./upf -run TestReferenceIsTheSchema", path, err)
	}
}

// keyRows has a row for each key of an object that is no section, and those of its sections.
func keyRows(prefix string, object yaml.MapSlice) string {
	var b strings.Builder
	properties, _ := member(object, "properties").(yaml.MapSlice)
	required := fmt.Sprint(member(object, "required"))
	for _, p := range properties {
		name, key := fmt.Sprint(p.Key), p.Value.(yaml.MapSlice)
		if member(key, "properties") != nil {
			b.WriteString(keyRows(prefix+name+".", key))
			continue
		}
		standard := member(key, "default")
		if standard == nil {
			standard = ""
		}
		if strings.Contains(" "+strings.Trim(required, "[]")+" ", " "+name+" ") {
			standard = "required"
		}
		fmt.Fprintf(&b, "| `%s%s` | %v | %s | %s |\n", prefix, name, standard, span(key), member(key, "description"))
		if items, is := member(key, "items").(yaml.MapSlice); is {
			b.WriteString(keyRows(prefix+name+"[].", items))
		}
	}
	return b.String()
}

// span is what a value may be.
func span(key yaml.MapSlice) string {
	if names, is := member(key, "enum").([]any); is {
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(names), "[]"), " ", ", ")
	}
	if least := member(key, "minimum"); least != nil {
		return fmt.Sprintf("%v..%v", least, member(key, "maximum"))
	}
	if most := member(key, "maxItems"); most != nil {
		return fmt.Sprintf("list of at most %v", most)
	}
	return ""
}

func member(object yaml.MapSlice, name string) any { return object.ToMap()[name] }
