package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
)

// TestGroups: each command that the help lists is in a group.
func TestGroups(t *testing.T) {
	_, out, _ := typed("--help")
	at := 0
	for _, title := range []string{"Measure", "Read", "Set up", "Prove the bench", "Fleet", "Reference UPF"} {
		i := strings.Index(out, "\n"+title+":\n")
		if i < at {
			t.Errorf("no group %s, or not in its place:\n%s", title, out)
		}
		at = i
	}
	if strings.Contains(out, "\nCommands:\n") {
		t.Errorf("a command is in no group:\n%s", out)
	}
}

// TestPlaceholders: a flag's value has a name in capitals, everywhere.
func TestPlaceholders(t *testing.T) {
	for _, c := range commands(newRoot()) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			if f.Value.Type() != "bool" && !regexp.MustCompile(`^[[A-Z0-9][A-Z0-9=:@/.\[\]|,-]*$`).MatchString(name) {
				t.Errorf("%s --%s: its value is called %q", c.CommandPath(), f.Name, name)
			}
		})
	}
}

// TestScenarioHelp: each scenario has a page with its own settings and flags.
func TestScenarioHelp(t *testing.T) {
	entries, err := scenario.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		status, out, said := typed("run", e.Name, "--help")
		if status != 0 || said != "" || !strings.Contains(out, "upflab run "+e.Name) || !strings.HasPrefix(out, strings.Fields(e.Title)[0]) {
			t.Errorf("%s: status %d, %s\n%s", e.Name, status, said, out)
		}
		s, err := scenario.Get(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out, "--case "); got != s.OfCases() {
			t.Errorf("%s: --case is shown: %v", e.Name, got)
		}
	}
	if _, out, _ := typed("run", "stress", "--help"); !strings.Contains(out, "stress.targets=100us:0.001,1ms:0.001,5ms:0.001") {
		t.Errorf("the help of stress lacks its targets:\n%s", out)
	}
}

// TestHelpIsNarrow: help fits a terminal of 40 columns, but for words and flags that are longer.
func TestHelpIsNarrow(t *testing.T) {
	const narrow = 40
	for _, c := range commands(newRoot()) {
		for _, line := range strings.Split(console.Fitted(c.Long, narrow), "\n") {
			if len([]rune(line)) > narrow && len(strings.Fields(line)) > 1 {
				t.Errorf("%s: %q", c.CommandPath(), line)
			}
		}
	}
}

// TestListsAsJSON: each list command has --json, an array of objects.
func TestListsAsJSON(t *testing.T) {
	for _, args := range []string{"dut list", "scenario list", "scenario keys", "scenario keys stress", "scenario figures",
		"behaviour list", "behaviour list pdr.teid", "explain", "explain late"} {
		status, out, said := typed(append(strings.Fields(args), "--json")...)
		var entries []map[string]any
		if err := json.Unmarshal([]byte(out), &entries); status != 0 || err != nil || len(entries) == 0 {
			t.Errorf("%s --json: status %d, %v, %d entries, %s", args, status, err, len(entries), said)
		}
	}
}

// TestVersionFlag: --version is what `upflab version` prints.
func TestVersionFlag(t *testing.T) {
	_, want, _ := typed("version")
	if status, got, _ := typed("--version"); status != 0 || got != want {
		t.Errorf("status %d, %q, want %q", status, got, want)
	}
}

// TestCompletion: shells are told the values of flags and arguments.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"run |":                  "stress",
		"run --dut |":            "builtin:xdp-generic",
		"run --set |":            "stress.targets=",
		"run --set disturbed=|":  "disturbed=keep",
		"run --set directions=|": "directions=both",
		"run --set burst=|":      "burst=1024",
		"run --set df=|":         "df=false",
		"run --output |":         "prometheus",
		"run behaviour --case |": "pdr.teid",
		"check x --threshold |":  "rx_pps",
		"compare a --metrics |":  "rx_pps",
		"history --metric |":     "rx_pps",
		"explain |":              "cpus_apart",
		"scenario show |":        "ndr",
		"scenario keys |":        "stress",
		"dut doctor |":           "eupf",
		"behaviour list |":       "pdr.teid",
		"history --scenario |":   "load-latency",
		"ue exec --dut |":        "builtin:xdp",
		"bisect --metrics |":     "rx_pps",
		"compare a --against |":  "builtin:xdp",
		"run --i-am-allowed-to|": "--i-am-allowed-to-attack",
		"completion |":           "fish",
	} {
		words := append([]string{cobra.ShellCompRequestCmd}, strings.Fields(strings.TrimSuffix(line, "|"))...)
		if strings.HasSuffix(line, " |") {
			words = append(words, "")
		}
		_, out, _ := typed(words...)
		var got []string
		for l := range strings.Lines(out) {
			value, _, _ := strings.Cut(strings.TrimSpace(l), "\t")
			got = append(got, value)
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: %q is not in %d values", line, want, len(got))
		}
	}
}

// TestCompletionOfRuns: the newest run is the first that a shell shows, and flags that share a name keep apart.
func TestCompletionOfRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, run := range []string{"2026-01-01-quick", "2026-03-01-quick", "2026-02-01-quick"} {
		if err := errors.Join(os.MkdirAll(filepath.Join("results", run), 0o755),
			os.WriteFile(filepath.Join("results", run, store.FileName), []byte("{}"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	keep := fmt.Sprintf(":%d\n", cobra.ShellCompDirectiveDefault|cobra.ShellCompDirectiveKeepOrder)
	for line, want := range map[string]string{
		"report |":              "results/2026-03-01-quick\nresults/2026-02-01-quick\nresults/2026-01-01-quick\n" + keep,
		"run --metrics |":       fmt.Sprintf(":%d\n", cobra.ShellCompDirectiveDefault), // an address
		"compare --threshold |": fmt.Sprintf(":%d\n", cobra.ShellCompDirectiveDefault), // a ratio
	} {
		words := append([]string{cobra.ShellCompRequestCmd}, strings.Fields(strings.TrimSuffix(line, "|"))...)
		if _, out, _ := typed(append(words, "")...); out != want {
			t.Errorf("%s: %q, want %q", line, out, want)
		}
	}
}
