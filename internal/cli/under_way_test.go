package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
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
		if status != exit.Usage || out != "" || !strings.Contains(says, "its run is under way") {
			t.Errorf("%s: status %d, prints %q, says %s", args, status, out, says)
		}
	}
}
