// Package scenariotest opens scenarios in tests.
package scenariotest

import (
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// Open opens a built-in scenario with changes.
func Open(t testing.TB, name string, sets ...string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Open(name, sets, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
