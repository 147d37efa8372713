package cli

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/clitest"
)

func TestCheckStatus(t *testing.T) {
	dir := clitest.StoredRun(t, "a", 2.00e6, 2.01e6, 1.99e6)
	for _, c := range []struct {
		story  string
		args   []string
		status int
		out    string
		says   string
	}{
		{"both pass", []string{"--threshold", "rx_pps >= 1M"}, 0, "2 pass", ""},
		{"the slower fails", []string{"--threshold", "rx_pps >= 1.5M"}, 4, "1 fail, 1 pass",
			"a threshold failed: rx_pps >= 1.5M: eupf:native, uplink max: 1.40 Mpps"},
		{"one of two", []string{"--threshold", "rx_pps >= 1.5M @ builtin"}, 0, "1 pass", ""},
		{"relative", []string{"--threshold", "rx_pps >= 90% of builtin:xdp"}, 4, "1 fail", "eupf:native"},
		{"cannot tell", []string{"--threshold", "latency.p99 < 1ms @ max"}, 3, "2 cannot tell", "nothing was measured that has this figure"},
		{"Markdown", []string{"--threshold", "rx_pps >= 1.5M", "--format", "markdown"}, 4, "| Threshold | UPF |", ""},
		{"JUnit", []string{"--threshold", "rx_pps >= 1.5M", "--format", "junit"}, 4,
			`<failure message="1.40 Mpps, which is not &gt;= 1.50 Mpps, in 3 of 3 repeats"`, ""},
		{"a figure that does not exist", []string{"--threshold", "rx_ppps >= 1"}, 2, "", "did you mean rx_pps"},
		{"no thresholds", nil, 2, "", "has no thresholds: give them with --threshold"},
		{"a format that does not exist", []string{"--format", "xml"}, 2, "", "it is text, markdown or junit"},
	} {
		status, out, says := typed(append([]string{"check", dir}, c.args...)...)
		if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(says, c.says) {
			t.Errorf("%s: status %d, want %d\n%s%s", c.story, status, c.status, out, says)
		}
	}
}
