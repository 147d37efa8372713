package scenario

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario/schema"
)

const (
	reference = "../../docs/scenario.md"
	keysPage  = "../../docs/reference/keys.md"
)

// TestReferenceIsTheTypes holds the tables of docs/reference/keys.md to the types of this
// package; -update rewrites them.
func TestReferenceIsTheTypes(t *testing.T) {
	const begin, end = "<!-- keys: written by go test ./internal/scenario -update -->\n", "<!-- end of keys -->\n"
	text, err := os.ReadFile(keysPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	old, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has lost its marks %q and %q", keysPage, begin, end)
	}
	want := keyTables(schema.KeysOf(schemaOfTypes(t)))
	if *update {
		if err := os.WriteFile(keysPage, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != want {
		t.Errorf("%s is not what the types say; run: go test ./internal/scenario -update", keysPage)
	}
}

// TestReferenceNamesTheCatalog holds that every built-in scenario is described.
func TestReferenceNamesTheCatalog(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names() {
		if !strings.Contains(string(text), "| `"+name+"` |") {
			t.Errorf("%s does not name the scenario %s", reference, name)
		}
	}
}

// TestReferenceExamplesAreValid reads the YAML blocks of the reference.
func TestReferenceExamplesAreValid(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```yaml\n")
	if len(blocks) < 2 {
		t.Error("no examples")
	}
	for _, block := range blocks[1:] {
		yaml, _, _ := strings.Cut(block, "```")
		if _, err := Read([]byte(yaml), "example.yaml"); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// keyTables is one table of the keys without a section, and one per section.
func keyTables(keys []schema.Key) string {
	var b strings.Builder
	const head = "\n| key | type | unit | default | range | example | meaning |\n|---|---|---|---|---|---|---|\n"
	b.WriteString(head)
	for _, k := range keys {
		if !k.Section && !strings.Contains(k.Path, ".") {
			b.WriteString(row(k))
		}
	}
	for _, section := range keys {
		if !section.Section || strings.Contains(section.Path, ".") {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n%s", section.Path, section.Doc, head)
		for _, k := range keys {
			if strings.HasPrefix(k.Path, section.Path+".") {
				b.WriteString(row(k))
			}
		}
	}
	return b.String() + "\n"
}

func row(k schema.Key) string {
	if k.Section {
		return fmt.Sprintf("| `%s` | a section | | | | | %s |\n", k.Path, k.Doc)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s |\n",
		k.Path, k.Type, k.Unit, code(k.Default), k.Range, code(k.Example), strings.ReplaceAll(k.Doc, "|", "\\|"))
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
