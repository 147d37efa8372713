package scenario

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files and the reference")

// TestErrorsOfFiles prints what each testdata/*.yaml gets for an error.
func TestErrorsOfFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Read(data, filepath.Base(file))
		if err == nil {
			t.Errorf("%s is taken for a scenario", file)
			continue
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".golden", err.Error()+"\n")
	}
}

// TestErrorsOfSet prints what wrong --set arguments get, one after the other.
func TestErrorsOfSet(t *testing.T) {
	var b strings.Builder
	for _, arg := range []string{
		"paylod=64", "gnb=10.0.0.1", "wibble=1", "n3=10.0.0.1", "payload", "=3", "payload=", "payload=1400kB",
		"loads=150k,mx", "loads=[150k, 5m]", "loads=150k,,max", "directions=up", "qfi=64", "qfi=x", "duration=3",
		"sessions=100000", "n3.gnb=192.168.14.1", "mtu=1400", "external.pid=1", "cpu.placement=seperate", "year=2026",
	} {
		_, err := Open("load-latency", []string{arg}, false)
		if err == nil {
			t.Errorf("--set %s is taken", arg)
			continue
		}
		b.WriteString(err.Error() + "\n\n")
	}
	golden(t, "testdata/set.golden", b.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s (rewrite with -update):\n%s\nwant:\n%s", file, got, want)
	}
}
