package outputs

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestFormats: each way to write a result is whole, has a file of its own, writes a result with nothing in
// it, and has a row in the docs.
func TestFormats(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/gates.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, f := range formats() {
		if f.name == "" || f.help == "" || (f.write == nil) == (f.send == nil) || (f.send == nil) != (f.address == nil) || (f.write == nil) != (f.file == "") {
			t.Errorf("%+v: a format has a name and help, and is written to a file or sent to an address", f)
		}
		for _, own := range []string{f.name, f.file} {
			if by, taken := seen[own]; taken && own != "" {
				t.Errorf("%s and %s have the same name or file", by, f.name)
			}
			seen[own] = f.name
		}
		row := "| `" + f.name + "` |"
		at := strings.Index(string(docs), row)
		if at < 0 {
			t.Errorf("docs/gates.md has no row %s", row)
			continue
		}
		if line, _, _ := strings.Cut(string(docs)[at:], "\n"); f.file != "" && !strings.Contains(line, "`"+f.file+"`") {
			t.Errorf("docs/gates.md: %s\ndoes not name %s", line, f.file)
		}
		if f.write == nil {
			continue
		}
		if err := f.write(new(bytes.Buffer), &record.Result{}); err != nil {
			t.Errorf("%s of an empty result: %v", f.name, err)
		}
	}
	if _, err := Parse("xml"); err == nil || !strings.Contains(err.Error(), strings.Join(Names(), ", ")) {
		t.Errorf("an unknown format: %v", err)
	}
}
