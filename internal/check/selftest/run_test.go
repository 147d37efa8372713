package selftest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/check/selftest"
	"github.com/upflab/upflab/internal/cli"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// TestMain lets this program be upflab, too: a calibrator is started from it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "upf" {
		os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	flag.Bool("update", false, "write golden files")
	flag.Parse()
	os.Exit(m.Run())
}

// TestCountsAreExact makes experiments as a user does. Their counts have to be
// right to the packet; times are left to a machine that is alone.
func TestCountsAreExact(t *testing.T) {
	sitetest.Privileged(t)
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	for _, name := range []string{"sessions", "queue"} {
		dir := t.TempDir()
		var out, log bytes.Buffer
		status := cli.Main([]string{"selftest", "--quick", "--only", name, "--out", dir, "--all"}, &out, &log)
		rows := readRows(t, dir)
		if len(rows) < 10 {
			t.Fatalf("%s: status %d, %d rows\n%s%s", name, status, len(rows), out.String(), log.String())
		}
		for _, r := range rows {
			if !r.Pass && kept(r.Quantity) {
				t.Errorf("%s: %s, %s: %v of %v %s", name, r.Trial, r.Quantity, r.Measured, r.Truth, r.Note)
			}
		}
	}
}

// kept are the counts that hold however little of the CPU a device gets.
func kept(quantity string) bool {
	return quantity == "received" || quantity == "duplicated" || quantity == "reordered" || quantity == "wrong"
}

func readRows(t *testing.T, dir string) (rows []selftest.Row) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "selftest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}
