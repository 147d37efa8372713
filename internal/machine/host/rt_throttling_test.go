package host

import (
	"errors"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

// noOtherRun waits until no run of this machine has the limit lifted.
func noOtherRun(t *testing.T) {
	t.Helper()
	if !wait.Until(2*time.Minute, 50*time.Millisecond, func() bool { return len(wideHolders("")) == 0 }) {
		t.Skipf("runs %v are under way", wideHolders(""))
	}
}

// limit is that of the tests, in us of each second. Some groups of threads may have all but 50 ms for
// them: less is refused.
const limit = 960_000

// mayLimit waits until a test may change the limit, and restores it after the test.
func mayLimit(t *testing.T) {
	t.Helper()
	rootOnly(t)
	if ok, err := AtLeast(kernelRelease(), 6, 8); err != nil || !ok {
		t.Skip("before Linux 6.8 the limit is left alone")
	}
	noOtherRun(t)
	was, err := readNumber(rtRuntime)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writeNumber(rtRuntime, was) })
}

// Of runs that do not see the same /run the last one restores the limit, also when the first
// was killed.
func TestRTLimitWithoutACommonList(t *testing.T) {
	mayLimit(t)
	for _, killed := range []bool{false, true} {
		if err := writeNumber(rtRuntime, limit); err != nil {
			t.Fatal(err)
		}
		var claims []*Claim
		for range 2 {
			c, err := NewClaimIn(t.TempDir(), NewRunID())
			if err == nil {
				err = c.NeverThrottle()
			}
			if err != nil {
				t.Fatal(err)
			}
			claims = append(claims, c)
		}
		end := claims[0].Close
		if killed {
			end = func() error { claims[0].Abandon(); _, err := CleanStaleIn(claims[0].dir); return err }
		}
		for i, do := range []func() error{end, claims[1].Close} {
			if err := do(); err != nil {
				t.Fatal(err)
			}
			if got, _ := readNumber(rtRuntime); got != []int{unthrottled, limit}[i] {
				t.Errorf("killed %v: after the end of run %d the limit is %d us", killed, i+1, got)
			}
		}
	}
}

// A run that ends while another one is still at its end restores the limit: neither leaves it to the
// other.
func TestRTLimitOfRunsThatEndTogether(t *testing.T) {
	mayLimit(t)
	common := t.TempDir()
	for _, dirs := range [][2]string{{common, common}, {t.TempDir(), t.TempDir()}} {
		if err := writeNumber(rtRuntime, limit); err != nil {
			t.Fatal(err)
		}
		var claims [2]*Claim
		for i, dir := range dirs {
			c, err := NewClaimIn(dir, NewRunID())
			if err == nil {
				err = c.NeverThrottle()
			}
			if err != nil {
				t.Fatal(err)
			}
			claims[i] = c
		}
		ending := claims[0]
		if err := errors.Join(letThrottle(ending.dir, ending.Run, ending.unthrottled), claims[1].Close()); err != nil {
			t.Fatal(err)
		}
		if got, _ := readNumber(rtRuntime); got != limit {
			t.Errorf("folders %v: the limit is %d us, want %d", dirs, got, limit)
		}
		if err := ending.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The machine has its limit for real-time threads again after a run, also one that
// was killed.
func TestThrottleComesBack(t *testing.T) {
	mayLimit(t)
	for _, killed := range []bool{false, true} {
		if err := writeNumber(rtRuntime, limit); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		c, err := NewClaimIn(dir, NewRunID())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.NeverThrottle(); err != nil {
			t.Fatal(err)
		}
		if got, _ := readNumber(rtRuntime); got != unthrottled {
			t.Errorf("in a run the limit is %d us, want none", got)
		}
		end := c.Close
		if killed {
			end = func() error { c.Abandon(); _, err := CleanStaleIn(dir); return err }
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if got, _ := readNumber(rtRuntime); got != limit {
			t.Errorf("killed %v: the limit is %d us, want %d", killed, got, limit)
		}
		if left := runsIn(dir); len(left) > 0 {
			t.Errorf("killed %v: left %v", killed, left)
		}
	}
}

// Of runs that overlap the last one restores the limit; a limit of 0 is one, too.
func TestRTLimitOfOverlappingRuns(t *testing.T) {
	rootOnly(t)
	if ok, err := AtLeast(kernelRelease(), 6, 8); err != nil || !ok {
		t.Skip("before Linux 6.8 the limit is left alone")
	}
	was, err := readNumber(rtRuntime)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writeNumber(rtRuntime, was) })
	if writeNumber(rtRuntime, 0) != nil {
		t.Skip("groups of this machine have real-time shares: the limit cannot be 0")
	}
	dir := t.TempDir()
	var claims []*Claim
	for _, run := range []string{"first", "second"} {
		c, err := NewClaimIn(dir, run)
		if err == nil {
			err = c.NeverThrottle()
		}
		if err != nil {
			t.Fatal(err)
		}
		claims = append(claims, c)
	}
	for i, want := range []int{unthrottled, 0} {
		if err := claims[i].Close(); err != nil {
			t.Fatal(err)
		}
		if got, _ := readNumber(rtRuntime); got != want {
			t.Errorf("after run %d the limit is %d us, want %d", i+1, got, want)
		}
	}
}

// A limit that somebody set during the run stays.
func TestRTLimitSetByOthersStays(t *testing.T) {
	rootOnly(t)
	if ok, err := AtLeast(kernelRelease(), 6, 8); err != nil || !ok {
		t.Skip("before Linux 6.8 the limit is left alone")
	}
	was, err := readNumber(rtRuntime)
	if err != nil || was == unthrottled {
		t.Skip("this machine has no limit")
	}
	t.Cleanup(func() { writeNumber(rtRuntime, was) })
	c, err := NewClaimIn(t.TempDir(), "abcde")
	if err == nil {
		err = c.NeverThrottle()
	}
	const limit = 970_000
	if err := errors.Join(err, writeNumber(rtRuntime, limit), c.Close()); err != nil {
		t.Fatal(err)
	}
	if got, _ := readNumber(rtRuntime); got != limit {
		t.Errorf("the limit is %d us, want %d", got, limit)
	}
}

func TestAtLeast(t *testing.T) {
	for release, want := range map[string]bool{"6.8.0-45-generic": true, "6.18.44-fc-v657": true, "7.0": true,
		"6.7.9": false, "5.15.0": false} {
		if got, err := AtLeast(release, 6, 8); err != nil || got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
	if _, err := AtLeast("", 6, 8); err == nil {
		t.Error("an empty release has a version")
	}
}
