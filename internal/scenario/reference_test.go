package scenario

import (
	"os"
	"strings"
	"testing"
)

const reference = "../../docs/scenario.md"

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
