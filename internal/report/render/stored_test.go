package render_test

import (
	"testing"

	"github.com/upflab/upflab/internal/record/consistency"
)

// TestStoredResultsAgree: no result that is kept for tests contradicts itself.
func TestStoredResultsAgree(t *testing.T) {
	for _, name := range []string{"sample.json", "searches.json", "flows.json", "sweep.json"} {
		for _, why := range consistency.Check(stored(t, name)) {
			t.Errorf("%s: %s", name, why)
		}
	}
}
