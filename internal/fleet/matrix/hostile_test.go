package matrix

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// TestHostileFile: a campaign's file with aliases or of great depth is refused.
func TestHostileFile(t *testing.T) {
	for text, want := range map[string]string{
		"campaign: c\nscenario: quick\nmatrix:\n  dut: &a [wire]\n  seed: *a\n": "aliases",
		"campaign: " + strings.Repeat("[", 20000):                               "nested too deep",
		strings.Repeat("#\n", 20000):                                            "too large",
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		write(t, path, text)
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
}

// TestRecordingsStay: a recording is a file of one host, and agents of others are not asked to read it.
func TestRecordingsStay(t *testing.T) {
	if err := portable(&scenario.Scenario{Schedule: scenario.Schedule{PCAP: "x.pcap"}}); err == nil ||
		!strings.Contains(err.Error(), "pcap: a recording is not sent to agents") {
		t.Errorf("%v", err)
	}
	if err := portable(&scenario.Scenario{Dialects: []string{"x.n4"}}); err == nil ||
		!strings.Contains(err.Error(), "dialects: a dialect's file is not sent to agents") {
		t.Errorf("%v", err)
	}
}
