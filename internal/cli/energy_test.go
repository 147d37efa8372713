package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestEnergyThatIsNotKnown: the exit status says so, whatever the format.
func TestEnergyThatIsNotKnown(t *testing.T) {
	meter := filepath.Join(t.TempDir(), "meter.csv")
	if err := os.WriteFile(meter, []byte("time,watts\n1,2\n2,3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--meter", meter}, {"--meter", meter, "--json"}} {
		status, _, errors := typed(append([]string{"energy", "../results/verify/testdata/run"}, args...)...)
		if status != exit.Invalid || !strings.Contains(errors, "energy is not known: no valid trial") {
			t.Errorf("%q: status %d, %q", args, status, errors)
		}
	}
}
