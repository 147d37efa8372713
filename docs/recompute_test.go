package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// measured is the result of a real run with its raw data.
const measured = "../internal/results/verify/testdata/run"

func python(t *testing.T, dir string) (string, error) {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	out, err := exec.Command(program, "recompute.py", dir).CombinedOutput()
	return string(out), err
}

// TestAnotherProgramComputesTheSame: a program that shares no code with upflab comes to the figures of a result.
func TestAnotherProgramComputesTheSame(t *testing.T) {
	out, err := python(t, measured)
	if err != nil || !strings.Contains(out, "56 figures computed from raw data, 0 differ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAnotherProgramFindsAnAlteredFigure: and finds one that it does not come to.
func TestAnotherProgramFindsAnAlteredFigure(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(measured)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "result.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), `"rx_packets":473`, `"rx_packets":474`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := python(t, dir); err == nil || !strings.Contains(out, "1 differ") || !strings.Contains(out, "rx_packets is 474") {
		t.Errorf("%v\n%s", err, out)
	}
}
