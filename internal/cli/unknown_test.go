package cli

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestMistypedNames: each name of a fixed list that is nearly right is answered with the right one.
func TestMistypedNames(t *testing.T) {
	for args, says := range map[string]string{
		"compare --metrics rx_pp a b":                  "(did you mean rx_pps?)",
		"run quick --set thresholds=rx_pp>1 --dry-run": "(did you mean rx_pps?)",
		"run quick --set payloa=3 --dry-run":           "(did you mean payload?)",
		"scenario shwo":                                "(did you mean show?)",
		"bench --only pacin":                           "(did you mean pacing?)",
		"explain not_snt":                              "(did you mean not_sent?)",
		"rum":                                          "(did you mean run?)",
		"dut lst":                                      "(did you mean list?)",
		"help rum":                                     "(did you mean run?)",
		"help dut lst":                                 "(did you mean list?)",
		"completion tcsh":                              "there are: bash, fish, powershell, zsh",
		"run --durt 5":                                 "(did you mean dut?)",
		"run --dut eupff --dry-run":                    "(did you mean eupf?)",
		"run --dut eupf:nativ --dry-run":               "(did you mean native?)",
		"run --dut container:eupff --dry-run":          "(did you mean eupf?)",
		"dut doctor eupff":                             "(did you mean eupf?)",
		"run behaviour --case pdr.tied --dry-run":      "(did you mean pdr.teid",
		"run quik --dry-run":                           "(did you mean quick?)",
		"scenario keys payloa":                         "(did you mean payload?)",
		"selftest --only repeatabilty":                 "(did you mean repeatability?)",
	} {
		status, out, said := typed(strings.Fields(args)...)
		first, rest, _ := strings.Cut(said, "\n")
		if status != exit.Usage || out != "" || !strings.Contains(first, says) || rest != "" && !strings.HasPrefix(rest, "Usage: ") && !strings.HasPrefix(rest, ">   1 | ") {
			t.Errorf("%s: status %d, %d bytes of output, says %q, want %q", args, status, len(out), said, says)
		}
	}
}
