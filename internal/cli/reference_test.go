package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/upf/datapath"
)

// TestReferencePages: docs/reference has the figures, drop reasons and exit statuses that there are, and
// docs/troubleshooting.md the reasons. UPDATE_GOLDEN=1 writes them.
func TestReferencePages(t *testing.T) {
	for name, want := range map[string]string{"figures.md": figurePage(), "exit-status.md": statusPage(t), "upf-drops.md": dropsPage(),
		"../troubleshooting.md": troubleshooting()} {
		path := filepath.Join("../../docs/reference", name)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the code makes (%v): UPDATE_GOLDEN=1 go test ./internal/cli -run TestReferencePages", path, err)
		}
	}
}

// figurePage has a row for each figure; those that differ in the last part of their names share one.
func figurePage() string {
	var b strings.Builder
	b.WriteString("# Figures\n\nFigures that a [threshold](../gates.md) and `compare --metrics` can name, as `upflab scenario figures` lists them.\n\n" +
		"| figure | unit | meaning |\n|---|---|---|\n")
	all := figure.All()
	for i := 0; i < len(all); {
		family, _, parts := strings.Cut(all[i].Name, ".")
		names, next := []string{all[i].Name}, i+1
		for parts && next < len(all) && all[next].Doc == all[i].Doc && strings.HasPrefix(all[next].Name, family+".") {
			names = append(names, strings.TrimPrefix(all[next].Name, family))
			next++
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.Join(names, "`, `"), all[i].Unit, all[i].Doc)
		i = next
	}
	return b.String()
}

// dropsPage has a row for each reason why the reference UPF drops a packet.
func dropsPage() string {
	var b strings.Builder
	b.WriteString("# Why the reference UPF drops packets\n\n`upflab upf drops` shows how many, of a UPF that runs; " +
		"`upf_dropped_packets_total{reason}` counts them.\n\n| reason | look at |\n|---|---|\n")
	for _, r := range datapath.Reasons() {
		fmt.Fprintf(&b, "| %s | %s |\n", r, r.Look())
	}
	return b.String()
}

// statusPage lists the constants of exit/exit.go with their comments.
func statusPage(t *testing.T) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "exit/exit.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Exit statuses\n\n| status | when |\n|---|---|\n")
	ast.Inspect(file, func(n ast.Node) bool {
		if v, is := n.(*ast.ValueSpec); is && v.Comment != nil {
			fmt.Fprintf(&b, "| %s | %s |\n", v.Values[0].(*ast.BasicLit).Value, strings.TrimSpace(v.Comment.Text()))
		}
		return true
	})
	b.WriteString("| 129, 130, 143 | SIGHUP, Ctrl-C or SIGTERM ended the command: 128 and the signal's number. A run reports what it measured until then. |\n" +
		"| 141 | The reader of the output went away, as `head` does. |\n\n" +
		"Where several apply to a run, the first of this order counts: 4, a signal's, 1, 3, 2, 0.\n\n" +
		"An invalid trial changes the status only when no other trial answers the same question. `--strict` ends the run with 3 at the first invalid trial.\n")
	return b.String()
}
