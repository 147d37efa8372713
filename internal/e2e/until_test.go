package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// TestUntilKnown: a run makes repeats until it knows its figures, says so, and can be verified; one whose time is over
// before ends with status 3.
func TestUntilKnown(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	run := func(dir string, more ...string) *command {
		args := []string{"run", "quick", "--out", dir, "--dut", "wire", "--set", "directions=uplink", "--set", "loads=1k", "--set", "duration=300ms", "--set",
			"latency.duration=300ms", "--set", "engine=af_packet", "--set", "disturbed=keep", "--set", "warmup=50ms"}
		return upflab(t, append(args, more...))
	}

	dir := filepath.Join(t.TempDir(), "known")
	c := run(dir, "--precision", "10%", "--set", "until.figures=rx_pps", "--at-most", "3m")
	c.finishes(0)
	r := load(t, dir)
	u := r.Until
	if u == nil || u.Ended != record.EndedKnown || u.Repeats < 8 || u.Looks != u.Repeats || len(u.Known) != 1 || !u.Known[0].Known {
		t.Fatalf("%+v", u)
	}
	if len(r.Order.Visits) != u.Repeats || r.Registered.Planned.Trials != 0 || len(r.Registered.Planned.Order) < u.Repeats {
		t.Errorf("%d visits, planned %+v", len(r.Order.Visits), r.Registered.Planned.Trials)
	}
	for _, want := range []string{"stopped after", "is known to ±"} {
		if !strings.Contains(strings.Join(strings.Fields(c.stdout.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, c.stdout.String())
		}
	}
	if !strings.Contains(c.stderr.String(), "until known, at most") {
		t.Errorf("progress:\n%s", c.stderr.String())
	}
	upflab(t, []string{"verify", dir}).finishes(0)

	dir = filepath.Join(t.TempDir(), "time")
	begun := time.Now()
	run(dir, "--precision", "1%", "--at-most", "15s").finishes(3)
	took := time.Since(begun)
	if u := load(t, dir).Until; u == nil || u.Ended != record.EndedTime || u.Repeats < 1 || u.TookS > 60 {
		t.Errorf("after %v: %+v", took, u)
	}
	upflab(t, []string{"verify", dir}).finishes(0)
}

// TestUntilDecided: the same UPF twice, as two builds, is not found worse, in blocks of two repeats.
func TestUntilDecided(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "builds")
	upflab(t, []string{"run", "quick", "--out", dir, "--dut", "builtin:afpacket", "--build", "old=" + program(), "--build", "new=" + program(),
		"--until-decided=30%", "--set", "until.figures=frame_loss_ratio", "--at-most", "2m", "--set", "directions=uplink", "--set", "loads=1k", "--set",
		"duration=300ms", "--set", "latency.duration=300ms", "--set", "engine=af_packet", "--set", "disturbed=keep"}).finishes(0, 3)
	u := load(t, dir).Until
	if u == nil || u.Verdict == nil || u.Repeats < 2 || u.Looks != u.Repeats/2 {
		t.Fatalf("%+v", u)
	}
	if u.Ended == record.EndedKnown && (u.Verdict.Decision != "not worse" || u.Verdict.A != "builtin@old:afpacket" || u.Verdict.Figures[0].ENot < 20) {
		t.Errorf("%+v", u.Verdict)
	}
	upflab(t, []string{"verify", dir}).finishes(0)
	c := upflab(t, []string{"compare", dir, "--threshold", "30%", "--metrics", "frame_loss_ratio"})
	c.finishes(0)
	if !strings.Contains(strings.Join(strings.Fields(c.stdout.String()), " "), "hold at every look") {
		t.Error(c.stdout.String())
	}
}
