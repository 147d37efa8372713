package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestLimits: what would take much memory is refused with a sentence before it is decoded.
func TestLimits(t *testing.T) {
	head := `{"schema":"` + record.Schema + `","duts":[{"name":"x","trials":[`
	for what, c := range map[string]struct{ text, want string }{
		"many empty trials":  {head + strings.Repeat("{},", 20_000) + "{}]}]}", "more than 10000 trials"},
		"many null trials":   {head + strings.Repeat("null,", 2_000_000) + "null]}]}", "more than 10000 trials"},
		"numbers for trials": {head + strings.Repeat("0,", 4_000_000) + "0]}]}", "more than 10000 trials"},
		"in upper case": {strings.Replace(head, "trials", "TRIALS", 1) + strings.Repeat("{},", 20_000) +
			"{}]}]}", "more than 10000 trials"},
		"escaped": {strings.Replace(head, "trials", `tri\u0061ls`, 1) + strings.Repeat("{},",
			1_000_000) + "{}]}]}", "64 MiB of memory"},
		"many UPFs":   {`{"schema":"` + record.Schema + `","duts":[` + strings.Repeat("{},", 1_000_000) + "{}]}", "64 MiB of memory"},
		"many points": {head + `{"series":[` + strings.Repeat("{},", 4_000_000) + "{}]}]}]}", "64 MiB of memory"},
		"many trials of searches": {`{"schema":"` + record.Schema + `","duts":[{"searches":[{"trials":[` +
			strings.Repeat("{},", 20_000) + "{}]}]}]}", "more than 10000 trials"},
		"deep":  {head + strings.Repeat("[", 100_000), "deep in one another"},
		"large": {head + strings.Repeat(" ", 17<<20) + "]}]}", "too large"},
	} {
		path := filepath.Join(t.TempDir(), FileName)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Shown.Load(path)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 128<<20 {
			t.Errorf("%s: %d MiB were taken", what, took>>20)
		}
	}
}

// TestLimitsAreNotInTheWay: a result of thousands of trials with all that they may have is
// read.
func TestLimitsAreNotInTheWay(t *testing.T) {
	r := sample()
	trial := r.DUTs[0].Trials[0]
	trial.Series = make([]record.Point, 20)
	for range 2000 {
		r.DUTs[0].Trials = append(r.DUTs[0].Trials, trial)
	}
	dir := t.TempDir()
	if err := Save(dir, r); err != nil {
		t.Fatal(err)
	}
	if got, err := Shown.Load(dir); err != nil || len(got.DUTs[0].Trials) != len(r.DUTs[0].Trials) {
		t.Errorf("%v", err)
	}
}
