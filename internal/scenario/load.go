package scenario

import (
	"path"
	"strings"

	"github.com/upflab/upflab/internal/scenario/document"
)

// Document is a scenario before it is checked: --set can still change it.
type Document struct {
	root *document.Node
	name string // what the scenario is called when it has no name key
}

// Parse reads the YAML of a scenario; file names it in errors. What is not YAML
// is an *Error; the meaning is checked by Scenario.
func Parse(data []byte, file string) (*Document, error) {
	root, err := document.Parse(document.NewSource(file, string(data), document.RankFile), data)
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

// Open reads a built-in scenario, applies the --set arguments in their order and checks
// it. full puts the section full in place.
func Open(name string, sets []string, full bool) (*Scenario, error) {
	doc, err := fromCatalog(name)
	if err != nil {
		return nil, err
	}
	return doc.with(sets, full)
}

// OpenText is Open for the YAML of a file; file is its path.
func OpenText(data []byte, file string, sets []string, full bool) (*Scenario, error) {
	doc, err := Parse(data, file)
	if err != nil {
		return nil, err
	}
	return doc.with(sets, full)
}

func (d *Document) with(sets []string, full bool) (*Scenario, error) {
	for _, arg := range sets {
		if err := Set(d, arg); err != nil {
			return nil, err
		}
	}
	s, err := d.Scenario()
	if err == nil && full {
		s.Full.apply(s)
	}
	return s, err
}

// Scenario fills in the defaults and checks the whole; what is wrong comes back
// as an *Error.
func (d *Document) Scenario() (*Scenario, error) {
	base, err := DefaultTree()
	if err != nil {
		return nil, err
	}
	merged := base.Under(d.root)
	expand(merged)
	fillDefaults(merged)
	problems := append(validate(merged), checkRanges(merged)...)
	if len(problems) > 0 {
		return nil, document.AsError(problems)
	}
	s, err := decode(merged)
	if err != nil {
		return nil, err
	}
	if s.Name == "" {
		s.Name = d.name
	}
	if problems := check(s, merged); len(problems) > 0 {
		return nil, document.AsError(problems)
	}
	return s, nil
}

// nameFrom makes a scenario's name of a file's: lower-case letters, digits and
// hyphens.
func nameFrom(file string) string {
	base := path.Base(file)
	base = strings.ToLower(strings.TrimSuffix(base, path.Ext(base)))
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
