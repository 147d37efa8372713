package datapath

import (
	"os"
	"strings"
	"testing"
)

// TestReasonsHaveNames: each drop reason has a name of its own, and docs/upf.md lists it.
func TestReasonsHaveNames(t *testing.T) {
	page, err := os.ReadFile("../../docs/upf.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	seen := map[string]Reason{}
	for r := range reasonCount {
		name := r.String()
		if other, twice := seen[name]; twice || name == "" {
			t.Errorf("reason %d is called %q, as %d is", r, name, other)
		}
		seen[name] = r
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/upf.md does not list the drop reason %q", name)
		}
	}
}
