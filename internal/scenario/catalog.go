package scenario

import (
	"embed"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/text/spelling"
)

//go:embed catalog/*.yaml
var catalogFiles embed.FS

// defaultName is the scenario whose values apply where another has none.
const defaultName = "load-latency"

// Entry is a scenario of the catalog.
type Entry struct {
	Name        string
	Title       string
	Description string
}

// List gives the built-in scenarios by name.
func List() ([]Entry, error) {
	var entries []Entry
	for _, name := range names() {
		s, err := Get(name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{Name: s.Name, Title: s.Title, Description: s.Description})
	}
	return entries, nil
}

// Get loads a built-in scenario. A name that does not exist is an error with
// the nearest one.
func Get(name string) (*Scenario, error) {
	doc, err := fromCatalog(name)
	if err != nil {
		return nil, err
	}
	return doc.Scenario()
}

// Source is the file of a built-in scenario, with its comments.
func Source(name string) ([]byte, error) {
	data, err := catalogFiles.ReadFile("catalog/" + name + ".yaml")
	if err != nil {
		known := names()
		return nil, fmt.Errorf("no built-in scenario is called %q%s; there are %s, and the path of a file ends in .yaml",
			name, spelling.DidYouMean(name, known), strings.Join(known, ", "))
	}
	return data, nil
}

func names() []string {
	files, _ := catalogFiles.ReadDir("catalog")
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimSuffix(f.Name(), path.Ext(f.Name())))
	}
	slices.Sort(all)
	return all
}

func fromCatalog(name string) (*Document, error) {
	data, err := Source(name)
	if err != nil {
		return nil, err
	}
	return Parse(data, name+".yaml (built in)")
}

// DefaultTree has the values that a scenario may leave out. The study is not among them:
// another scenario repeats another one, or none.
func DefaultTree() (*document.Node, error) {
	data, err := Source(defaultName)
	if err != nil {
		return nil, err
	}
	root, err := document.Parse(document.NewSource(defaultName+".yaml (built in)", string(data), document.RankDefaults), data)
	if err != nil {
		return nil, err
	}
	root.Fields = slices.DeleteFunc(root.Fields, func(f document.Field) bool {
		return f.Key == "name" || f.Key == "title" || f.Key == "description" || f.Key == "study"
	})
	return root, nil
}

// IsPath reports whether a scenario is named by its file: the name ends in .yaml or .yml, however they are
// written, or has a slash in it.
func IsPath(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml" || strings.ContainsRune(name, filepath.Separator)
}
