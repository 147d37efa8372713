package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestAbsentInterface: a UPF elsewhere behind an interface that is not there is refused before anything is made, by
// the run. --dry-run prints the plan and says so, too.
func TestAbsentInterface(t *testing.T) {
	for _, more := range []string{"", "--dry-run"} {
		dir := filepath.Join(t.TempDir(), "out")
		args := strings.Fields("run quick --dut external --set external.n3_interface=nosuch3 --set external.n6_interface=lo --out " + dir + " " + more)
		status, out, says := typed(args...)
		if status != exit.Usage || (out != "") != (more != "") || !strings.Contains(says, `external.n3_interface: this machine has no network interface "nosuch3"`) {
			t.Errorf("%s: status %d, prints %q, says %s", more, status, out, says)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: %s was made", more, dir)
		}
	}
}
