package e2e

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// logLimit is how large the log of a DUT is at most when its run has ended, in octets.
const logLimit = 64 << 20

// TestHostileDUT measures a UPF that ignores SIGTERM, floods its log and detaches others that do so, too.
// The run ends, or `upflab clean` ends what a killed run left; the log is cut and no process stays.
func TestHostileDUT(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	for _, c := range []struct {
		name   string
		signal syscall.Signal // to the run, while the UPF floods; 0 for none
		status int            // of the run; -1: it was killed
		says   string
	}{
		{"to its end", 0, 1, "upflab: eupf failed: setting up N4: no answer from UPF "},
		{"interrupted", syscall.SIGINT, 130, "upflab: interrupted by SIGINT: what was measured before is in "},
		{"killed", syscall.SIGKILL, -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			run := upflab(t, quick(dir, "--dut", "eupf:native"), fakeUPF(t, hostile))
			run.until("the UPF floods its log", func() bool { return largestLog(dir) > 1<<20 })
			began, lists := time.Now(), listed()
			if len(lists) != 1 {
				t.Fatalf("the run has the lists %v, want one", lists)
			}
			if c.signal != 0 {
				run.signal(c.signal)
			}
			run.finishesWithin(90*time.Second, c.status)
			t.Logf("ended after %.1f s, with %d octets of log", time.Since(began).Seconds(), largestLog(dir))
			run.mustSay(c.says)
			if c.signal == syscall.SIGKILL { // nobody cuts the log then, and nobody writes to it
				upflab(t, []string{"clean"}).finishes(0)
			} else if size := largestLog(dir); size > logLimit {
				t.Errorf("a log has %d octets, want %d at most", size, logLimit)
			}
			if c.signal == 0 {
				if d := load(t, dir).DUTs[1]; d.Status != record.StatusFailed || !strings.Contains(d.LogTail, "flood") {
					t.Errorf("%s: %s, log %.100q", d.Name, d.Status, d.LogTail)
				}
			}
			left := hostileLeft()
			for _, g := range groups() { // also of runs with another /run
				if filepath.Base(g) == "upflab-"+lists[0] {
					left = append(left, g)
				}
			}
			if len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			clean := upflab(t, []string{"clean"})
			clean.finishes(0)
			if said := clean.stdout.String(); said != "nothing to remove\n" {
				t.Errorf("clean: %s", said)
			}
		})
	}
}

// listed are the runs that keep a list of what they own.
func listed() (runs []string) {
	paths, _ := filepath.Glob("/run/upflab/*.json")
	for _, path := range paths {
		runs = append(runs, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return slices.DeleteFunc(runs, func(run string) bool { return strings.HasPrefix(run, ".") })
}

// largestLog is the size of the largest log below dir, in octets.
func largestLog(dir string) (largest int64) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".log" {
			return nil
		}
		if info, err := d.Info(); err == nil {
			largest = max(largest, info.Size())
		}
		return nil
	})
	return largest
}
