package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/results/store"
)

// TestRunUnderWay: what a run has measured so far is no result.
func TestRunUnderWay(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("run", 0o755), os.WriteFile("run/"+store.FileName, []byte(`{}`), 0o644),
		os.WriteFile("run/"+live.FileName, []byte(`{"kind":"log"}`+"\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"export run", "check run", "report run", "compare run run", "model fit run", "export run/" + store.FileName} {
		status, out, says := typed(strings.Fields(args)...)
		if status != exitUsage || out != "" || !strings.Contains(says, "its run is under way") {
			t.Errorf("%s: status %d, prints %q, says %s", args, status, out, says)
		}
	}
}

// TestHints: what is mistyped gets the nearest name.
func TestHints(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("S.YAML", []byte("loads: [nosuch]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"rum":             `unknown command "rum" for "upflab" (did you mean run?)`,
		"scenario shwo":   `(did you mean show?)`,
		"completion tcsh": `unknown command "tcsh" for "upflab completion"`,
		"run --dut eupff": "no such DUT (did you mean eupf?)",
		"run behaviour --case gtpu.echo.recovry --dry-run": "did you mean gtpu.echo.recovery",
		"run S.YAML --dry-run":                             "nosuch",
	} {
		if status, _, says := typed(strings.Fields(args)...); status != exitUsage || !strings.Contains(says, want) {
			t.Errorf("%s: status %d, says %s, without %q", args, status, says, want)
		}
	}
}
