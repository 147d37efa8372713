package engine

import (
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// settings opens a built-in scenario with changes.
func settings(t *testing.T, name string, sets ...string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Open(name, sets, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
