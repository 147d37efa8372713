package history

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// night is a run in which wire reaches rate packets/s, and the UPF half of that, by speed.
func night(n int, rate, speed float64) *record.Result {
	started := time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC).AddDate(0, 0, n)
	trial := func(pps float64) []record.Trial {
		return []record.Trial{{
			Kind: record.KindLoad, Direction: record.Uplink,
			PacketSize: record.PacketSize{Size: "1400", PayloadBytes: 1400}, Sessions: 1, Repeat: 1,
			Traffic:   record.Traffic{RxPPS: pps},
			Judgement: record.Judgement{LimitedBy: record.LimitDUT, Valid: true},
		}}
	}
	return &record.Result{Schema: record.Schema, Run: fmt.Sprintf("r%03d", n), Scenario: "nightly", Started: started,
		Finished: started.Add(time.Minute),
		Complete: true, Host: record.Host{Hostname: "lab", CPU: "a CPU", CPUs: 2}, DUTs: []record.DUT{
			{Name: "wire", Reference: true, Status: record.StatusOK, Trials: trial(rate)},
			{Name: "eupf", Mode: "native", Version: "v0.7.1", Status: record.StatusOK, Trials: trial(rate * speed / 2)}}}
}

func save(t *testing.T, dir, name string, r *record.Result) {
	t.Helper()
	folder := filepath.Join(dir, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(folder, r); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *Index {
	t.Helper()
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func update(t *testing.T, x *Index) Updated {
	t.Helper()
	u, err := x.Update(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// of finds the series of a DUT.
func of(t *testing.T, x *Index, dut string) *Series {
	t.Helper()
	all, _ := x.Series(Filter{})
	for _, s := range all {
		if s.DUT == dut && s.Metric == "rx_pps" {
			return s
		}
	}
	t.Fatalf("no series of %s among %d", dut, len(all))
	return nil
}

// TestMachineDrifts: the machine becomes slower by a tenth and the UPF does not; later the
// UPF becomes slower by 2 %, and only that is its change.
func TestMachineDrifts(t *testing.T) {
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 1))
	for n := range 45 {
		rate, speed := 2e6*(1+0.02*rng.NormFloat64()), 1+0.005*rng.NormFloat64()
		if n >= 20 {
			rate *= 0.9
		}
		if n >= 40 {
			speed *= 0.98
		}
		save(t, dir, fmt.Sprintf("night-%02d", n), night(n, rate, speed))
	}
	x := open(t, dir)
	update(t, x)
	if wire := of(t, x, "wire"); len(wire.Changes) != 1 || wire.Changes[0].At != 20 || !wire.Changes[0].Worse {
		t.Errorf("changes of wire: %+v, wanted one at 20", wire.Changes)
	}
	s := of(t, x, "eupf:native")
	if !s.ByWire || len(s.Changes) != 1 || s.Changes[0].At != 40 || !s.Changes[0].Worse {
		t.Fatalf("by wire %v, changes %+v, wanted one at 40", s.ByWire, s.Changes)
	}
	if c := s.Changes[0]; c.Ratio < -0.03 || c.Ratio > -0.01 || s.Runs(c) != 5 {
		t.Errorf("change by %.3f for %d runs, wanted -0.02 for 5", c.Ratio, s.Runs(c))
	}
}

// TestIndexFollows: what is new, changed or gone in the folders is so in the index; what
// did not change is not read again.
func TestIndexFollows(t *testing.T) {
	dir := t.TempDir()
	for n := range 3 {
		save(t, dir, fmt.Sprintf("deep/below/night-%d", n), night(n, 2e6, 1))
	}
	x := open(t, dir)
	if u := update(t, x); u.Read != 3 {
		t.Errorf("read %d results, wanted 3", u.Read)
	}
	if u := update(t, x); u.Read != 0 {
		t.Errorf("read %d again", u.Read)
	}
	save(t, dir, "deep/below/night-1", night(7, 1e6, 1))
	os.RemoveAll(filepath.Join(dir, "deep/below/night-2"))
	if u := update(t, x); u.Read != 1 || u.Gone != 1 {
		t.Errorf("%+v, wanted one read and one gone", u)
	}
	if s := of(t, x, "wire"); len(s.Points) != 2 || s.Points[1].Value != 1e6 {
		t.Errorf("points %+v", s.Points)
	}
}

// TestBadFolders: what is no result is listed with the reason, and in nobody's way.
func TestBadFolders(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "good", night(1, 2e6, 1))
	save(t, dir, "copy", night(1, 2e6, 1))
	for name, text := range map[string]string{
		"cut":     `{"schema":"upflab.result/v1","run":"x`,
		"empty":   "",
		"foreign": `{"tests": 5}`,
		"newer":   `{"schema":"upflab.result/v2"}`,
		"binary":  "\x00\x01\x02",
	} {
		os.MkdirAll(filepath.Join(dir, name), 0o755)
		os.WriteFile(filepath.Join(dir, name, store.FileName), []byte(text), 0o644)
	}
	x := open(t, dir)
	update(t, x)
	runs := x.Runs(Filter{})
	want := map[string]string{"cut": "cut short", "empty": "empty", "foreign": "not a result of upflab",
		"newer": "use the upflab that wrote it", "binary": "not JSON"}
	for _, r := range runs {
		if !strings.Contains(r.Unreadable, want[r.Path]) || (want[r.Path] == "") != (r.Unreadable == "") {
			t.Errorf("%s: %q, wanted %q", r.Path, r.Unreadable, want[r.Path])
		}
	}
	if len(runs) != 7 {
		t.Errorf("%d runs, wanted 7", len(runs))
	}
	if s := of(t, x, "wire"); len(s.Points) != 1 {
		t.Errorf("a copied run counts %d times", len(s.Points))
	}
}

// TestDamagedIndex: an index that is damaged, of another version, or cannot be written is
// made again.
func TestDamagedIndex(t *testing.T) {
	for name, spoil := range map[string]func(path string){
		"damaged": func(path string) { os.WriteFile(path, []byte(strings.Repeat("no database", 1000)), 0o644) },
		"a folder in its place": func(path string) {
			os.Remove(path)
			os.MkdirAll(filepath.Join(path, "x"), 0o755)
		},
		"of another version": func(path string) {
			text, _ := os.ReadFile(path)
			os.WriteFile(path, []byte(strings.Replace(string(text), fmt.Sprint(version), "99", 1)), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			save(t, dir, "good", night(1, 2e6, 1))
			first := open(t, dir)
			update(t, first)
			spoil(filepath.Join(dir, IndexName))
			x := open(t, dir)
			update(t, x)
			of(t, x, "wire")
			if (x.Note() != "") != (name == "a folder in its place") {
				t.Errorf("note %q", x.Note())
			}
		})
	}
}

// TestTwoPrograms on one folder do not disturb each other.
func TestTwoPrograms(t *testing.T) {
	dir := t.TempDir()
	for n := range 20 {
		save(t, dir, fmt.Sprintf("night-%d", n), night(n, 2e6, 1))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			x, err := Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			for range 3 {
				if _, err := x.Update(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if runs := x.Runs(Filter{}); len(runs) != 20 || x.Note() != "" {
				t.Errorf("%d runs, %q", len(runs), x.Note())
			}
		})
	}
	all.Wait()
}

// TestNoFolder: the error says what to name.
func TestNoFolder(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "nowhere"))
	if err == nil || !strings.Contains(err.Error(), "upflab run") {
		t.Errorf("error %v", err)
	}
}

// TestUnreadable: a folder that cannot be listed is refused, not taken for an empty one.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o311); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	if os.Geteuid() == 0 { // root reads every folder
		runtime.LockOSThread() // the thread ends with the test's goroutine, and its user with it
		if err := unix.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer unix.Setfsuid(0)
	}
	_, err := Open(dir)
	if err == nil || !strings.Contains(err.Error(), "permission denied") || strings.Contains(err.Error(), "pragma") {
		t.Errorf("opened with %v", err)
	}
}

// TestIndexIsWrittenWhenItChanges: a failure to write it is told, and is not tried again until there is
// something new to write.
func TestIndexIsWrittenWhenItChanges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, IndexName)
	save(t, dir, "a", night(1, 2e6, 1))
	os.MkdirAll(filepath.Join(path, "in the way"), 0o755)
	x := open(t, dir)
	update(t, x)
	if !strings.Contains(x.Note(), "kept in memory") {
		t.Errorf("note %q", x.Note())
	}
	os.RemoveAll(path)
	update(t, x)
	if _, err := os.Stat(path); err == nil {
		t.Error("it was written though nothing had changed")
	}
	save(t, dir, "b", night(2, 2e6, 1))
	update(t, x)
	if _, err := os.Stat(path); err != nil || x.Note() != "" {
		t.Errorf("%v, note %q", err, x.Note())
	}
	before, _ := os.Stat(path)
	update(t, x)
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was written again, though nothing had changed: %v", err)
	}
}

// TestIndexTooLarge: an index that would not be read again is not written, and says so.
func TestIndexTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), IndexName)
	run := &Run{Path: "a", Unreadable: strings.Repeat("x", indexMost/2)}
	if err := write(path, map[string]entry{"a": {Path: "a", Run: run}}); err != nil {
		t.Error(err)
	}
	err := write(path, map[string]entry{"a": {Path: "a", Run: run}, "b": {Path: "b", Run: run}})
	if err == nil || !strings.Contains(err.Error(), "larger than 100 MiB") {
		t.Errorf("error %v", err)
	}
}
