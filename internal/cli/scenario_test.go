package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenScenario(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte("payload: 200\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := openScenario(file, []string{"sessions=3"}, false)
	if err != nil || s.Name != "mine" || s.Payload != 200 || s.Sessions != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestOpenScenarioErrors(t *testing.T) {
	for arg, want := range map[string]string{
		"load-latncy":       "did you mean load-latency?",
		"":                  "no built-in scenario",
		"../secret":         "no such file",
		"/nowhere/x.yaml":   "no such file",
		"catalog/quick":     "no such file",
		t.TempDir() + "/":   "not a regular file",
		"LOAD-LATENCY.yaml": "no such file",
	} {
		if _, err := openScenario(arg, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", arg, err, want)
		}
	}
}

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
