package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestMapLeadsSomewhere: each place that a row of "To change X, open Y" names exists.
func TestMapLeadsSomewhere(t *testing.T) {
	_, table, found := strings.Cut(read(t, "architecture.md"), "## To change X, open Y")
	if !found {
		t.Fatal("architecture.md has no table of changes")
	}
	places := regexp.MustCompile("`((?:internal|upf|cmd)/[A-Za-z0-9_./-]+)`").FindAllStringSubmatch(table, -1)
	if len(places) < 20 {
		t.Errorf("the table of changes names %d places only", len(places))
	}
	for _, p := range places {
		if _, err := os.Stat("../" + p[1]); err != nil {
			t.Errorf("architecture.md sends you to %s: %v", p[1], err)
		}
	}
}
