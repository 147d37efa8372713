package measure

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/scenario"
)

// TestSettingsInHelp: the settings that the help of a scenario shows can be given by --set.
func TestSettingsInHelp(t *testing.T) {
	entries, err := scenario.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for _, k := range settingsOf(e.Name) {
			if k.Value == "" {
				continue
			}
			if _, err := inputs.OpenScenario(e.Name, []string{k.Path + "=" + k.Value}, false); err != nil && !strings.HasPrefix(k.Path, "full.") {
				t.Errorf("%s: its help shows %s=%s, which --set refuses: %v", e.Name, k.Path, k.Value, err)
			}
		}
	}
}
