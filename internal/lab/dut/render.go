package dut

import (
	"fmt"
	"path/filepath"
	"text/template"

	"github.com/upflab/upflab/internal/text/safefile"
)

// Render writes a configuration file from its template into dir.
func Render(dir, name, text string, data any) (path string, err error) {
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("template of %s: %w", name, err)
	}
	path = filepath.Join(dir, name)
	f, err := safefile.Create(path, 0o644)
	if err != nil {
		return "", fmt.Errorf("write configuration: %w", err)
	}
	if err := t.Execute(f, data); err != nil {
		f.Close()
		return "", fmt.Errorf("render %s: %w", path, err)
	}
	return path, f.Close()
}
