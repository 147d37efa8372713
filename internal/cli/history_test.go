package cli

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestGateOnNothing: a gate on a folder without results is not passed.
func TestGateOnNothing(t *testing.T) {
	dir := t.TempDir()
	if status, _, errors := typed("history", dir, "--gate", "5"); status != exit.Usage || !strings.Contains(errors, "name the folder that has the results") {
		t.Errorf("status %d, %q", status, errors)
	}
	if status, _, errors := typed("history", dir); status != exit.Done {
		t.Errorf("without a gate: status %d, %q", status, errors)
	}
}
