package cli

import (
	"strings"
	"testing"
)

// TestScenarioKeys: all keys, or those of a section.
func TestScenarioKeys(t *testing.T) {
	status, all, _ := typed("scenario", "keys")
	if status != 0 || !strings.Contains(all, "\nqfi: an integer, 1..63; default 1\n    QoS Flow Identifier") {
		t.Errorf("status %d:\n%s", status, all)
	}
	status, n4, _ := typed("scenario", "keys", "n4")
	if status != 0 || !strings.HasPrefix(n4, "n4: a section") || strings.Contains(n4, "n3.") || strings.Count(n4, "\nn4.") != 6 {
		t.Errorf("status %d:\n%s", status, n4)
	}
	if status, _, err := typed("scenario", "keys", "nosuch"); status != 2 || !strings.Contains(err, "no key") {
		t.Errorf("a key that is not: status %d, %s", status, err)
	}
}
