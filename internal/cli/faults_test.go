package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// TestPlainErrors: a mistake on the command line has one error that says what to do, and the
// same mistake has the same status in each command.
func TestPlainErrors(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.yaml")
	if err := os.WriteFile(empty, []byte(" \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(dir, "one")
	if err := os.Mkdir(one, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(one, &record.Result{Scenario: "quick", DUTs: []record.DUT{{Name: "builtin", Mode: "xdp"}}}); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(dir, "gone")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"run --strict=maybe", exit.Usage, "--strict=maybe: it takes no value, or true or false"},
		{"run --pcap=x", exit.Usage, "--pcap=x: it takes a whole number"},
		{"run --pcap=-1", exit.Usage, "--pcap=-1: it takes a whole number, 1 or more"},
		{"run --pcap=0", exit.Usage, "--pcap=0: it takes a whole number, 1 or more"},
		{"history " + one + " --gate -1", exit.Usage, "--gate=-1: it takes a whole number, 4 or more"},
		{"history " + one + " --gate 0", exit.Usage, "--gate=0: it takes a whole number, 4 or more"},
		{"model fit " + one + " --p99 -1ms", exit.Usage, "--p99 -1ms: give a time above 0"},
		{"publish " + one + " --runs -1", exit.Usage, "--runs=-1: it takes a whole number, 0 or more"},
		{"upf top --lines 0", exit.Usage, "--lines=0: it takes"},
		{"upf top --count -1", exit.Usage, "--count=-1: it takes"},
		{"upf sessions --limit -1", exit.Usage, "--limit=-1: it takes"},
		{"agent --min-free -1", exit.Usage, "--min-free=-1: it takes"},
		{"hub run --max-store -5", exit.Usage, "--max-store=-5: it takes"},
		{"hub prepare --replicas 0", exit.Usage, "--replicas=0: it takes"},
		{"run --pcap x", exit.Usage, `there is no scenario "x"; --pcap takes its number behind an equals sign`},
		{"run quick --pcap 5", exit.Usage, `there is no scenario "5"; --pcap takes its number behind an equals sign`},
		{"upf top --interval soon", exit.Usage, "--interval=soon: it takes a time with its unit"},
		{"compare a b --threshold much", exit.Usage, "--threshold=much: not a ratio: write 3% or 0.03"},
		{"run " + empty + " --dry-run", exit.Usage, "is empty: a scenario has at least a name"},
		{"compare " + one, exit.Usage, "has one UPF, builtin:xdp, and a comparison needs two: name a second result"},
		{"compare " + gone, exit.Usage, "no such file"},
		{"check " + gone, exit.Usage, "no such file"},
		{"export " + gone, exit.Usage, "no such file"},
		{"report " + gone, exit.Usage, "no such file"},
		{"history " + gone, exit.Usage, "there is no folder"},
		{"serve " + gone, exit.Usage, "there is no folder"},
	} {
		status, _, said := typed(strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s: status %d, want %d; says %q, want %q", c.args, status, c.status, said, c.says)
		}
		if strings.Contains(said, "strconv") {
			t.Errorf("%s: speaks of the parser: %q", c.args, said)
		}
	}
}

// TestRemovedFolder calls upflab in a folder that is gone.
func TestRemovedFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("gone", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir("gone")
	t.Setenv("PWD", "")
	if err := os.Remove("../gone"); err != nil {
		t.Fatal(err)
	}
	if status, _, said := typed("run", "--dry-run"); status != exit.Failed || !strings.Contains(said, "the current folder has been removed") {
		t.Errorf("status %d, says %q", status, said)
	}
}

// TestBrokenPipe: a reader that has gone is no failure to speak of.
func TestBrokenPipe(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	var said bytes.Buffer
	if got := Main([]string{"scenario", "keys"}, write, &said); got != exit.Pipe || said.Len() > 0 {
		t.Errorf("status %d, says %q", got, said.String())
	}
}
