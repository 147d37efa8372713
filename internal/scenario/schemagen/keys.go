package main

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/scenario/schema"
)

const keysPage = "../../../docs/reference/keys.md"

// withKeys is the page of keys as it stands, with the tables of a schema.
func withKeys(page, schemaText string) (string, error) {
	const begin, end = "<!-- keys: written by make generate -->\n", "<!-- end of keys -->\n"
	head, rest, found := strings.Cut(page, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("%s has lost its marks %q and %q", keysPage, begin, end)
	}
	return head + begin + keyTables(schema.KeysOf(schemaText)) + end + tail, nil
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
