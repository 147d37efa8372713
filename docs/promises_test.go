package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamedTestsExist: each test that security.md and upf-pfcp.md name is in the tree, and each
// row of the limits names one or says that it is not tested.
func TestNamedTestsExist(t *testing.T) {
	there := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z0-9]\w*)\(`)
	if err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, f := range function.FindAllStringSubmatch(string(text), -1) {
			there[f[1]] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)
	for _, page := range []string{"security.md", "upf-pfcp.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range named.FindAllString(string(text), -1) {
			if !there[name] {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
		_, limits, found := strings.Cut(string(text), "### Limits")
		if !found {
			continue
		}
		limits, _, _ = strings.Cut(limits, "\n### ")
		for line := range strings.Lines(limits) {
			if strings.HasPrefix(line, "| ") && !named.MatchString(line) && !strings.Contains(line, "tested") {
				t.Errorf("%s: no test is named in %s", page, line)
			}
		}
	}
}
