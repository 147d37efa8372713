package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Document is a scenario before it is checked: --set can still change it.
type Document struct {
	root *node
	name string // what the scenario is called when it has no name key
}

// Parse reads the YAML of a scenario; file names it in errors. What is not YAML
// is an *Error; the meaning is checked by Scenario.
func Parse(data []byte, file string) (*Document, error) {
	root, err := parse(newSource(file, string(data), rankFile), data)
	if err != nil {
		return nil, err
	}
	return &Document{root: root, name: nameFrom(file)}, nil
}

// Read reads and checks the YAML of a scenario; file names it in errors. What
// it leaves out has the value of Defaults. Problems with the text come back as
// an *Error that lists all of them.
func Read(data []byte, file string) (*Scenario, error) {
	doc, err := Parse(data, file)
	if err != nil {
		return nil, err
	}
	return doc.Scenario()
}

// Defaults is the scenario that an empty file gives: load-latency without its
// name, title, description and study.
func Defaults() (*Scenario, error) {
	return Read(nil, "scenario.yaml")
}

// Open finds a scenario by its name in the catalog or its path, which ends in
// .yaml or .yml, applies the --set arguments in their order and checks it. full
// puts the full section in place.
func Open(nameOrPath string, sets []string, full bool) (*Scenario, error) {
	doc, err := find(nameOrPath)
	if err != nil {
		return nil, err
	}
	for _, arg := range sets {
		if err := Set(doc, arg); err != nil {
			return nil, err
		}
	}
	s, err := doc.Scenario()
	if err == nil && full {
		s.Full.apply(s)
	}
	return s, err
}

func find(nameOrPath string) (*Document, error) {
	ext := filepath.Ext(nameOrPath)
	if ext != ".yaml" && ext != ".yml" && !strings.ContainsRune(nameOrPath, filepath.Separator) {
		return fromCatalog(nameOrPath)
	}
	data, err := os.ReadFile(nameOrPath)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w; name a .yaml file, or one of %s", err, strings.Join(names(), ", "))
	}
	return Parse(data, nameOrPath)
}

// Scenario fills in the defaults and checks the whole; what is wrong comes back
// as an *Error.
func (d *Document) Scenario() (*Scenario, error) {
	base, err := defaultTree()
	if err != nil {
		return nil, err
	}
	merged := base.under(d.root)
	expand(merged)
	problems := append(validate(merged), checkRanges(merged)...)
	if len(problems) > 0 {
		return nil, asError(problems)
	}
	s := decode(merged)
	if s.Name == "" {
		s.Name = d.name
	}
	if problems := check(s, merged); len(problems) > 0 {
		return nil, asError(problems)
	}
	return s, nil
}

// nameFrom makes a scenario's name of a file's: lower-case letters, digits and
// hyphens.
func nameFrom(file string) string {
	base := filepath.Base(file)
	base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
	name := strings.Trim(strings.Map(func(r rune) rune {
		if (r >= 'a' && r <= 'z') || (r >= '0' && r <= '9') {
			return r
		}
		return '-'
	}, base), "-")
	if name == "" {
		return "scenario"
	}
	return strings.TrimRight(name[:min(len(name), 63)], "-")
}
