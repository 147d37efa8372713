package host

import (
	"os"
	"strings"
	"testing"
)

// Huge pages go back when the run ends, and when it was killed.
func TestHugePages(t *testing.T) {
	rootOnly(t)
	if _, err := os.Stat(nrHugePages); err != nil {
		t.Skip("this kernel has no huge pages")
	}
	before, _ := readNumber(nrHugePages)
	c, _ := testClaim(t)
	wanted := max(freeHugePages(), 0) + 2
	if err := c.AddHugePages(wanted); err != nil {
		t.Fatal(err)
	}
	if now, _ := readNumber(nrHugePages); now != before+2 || freeHugePages() < wanted {
		t.Errorf("there were %d huge pages, now there are %d, %d free", before, now, freeHugePages())
	}
	if err := c.ReturnHugePages(); err != nil {
		t.Fatal(err)
	}
	if now, _ := readNumber(nrHugePages); now != before {
		t.Errorf("given back, there are %d huge pages, want %d", now, before)
	}
}

func TestHugePagesOfKilledRun(t *testing.T) {
	c, _ := testClaim(t)
	before, err := readNumber(nrHugePages)
	if err != nil {
		t.Skip("this kernel has no huge pages")
	}
	if err := c.AddHugePages(max(freeHugePages(), 0) + 1); err != nil {
		t.Fatal(err)
	}
	c.Abandon()
	removed, err := CleanStaleIn(c.dir)
	if now, _ := readNumber(nrHugePages); err != nil || now != before || !strings.Contains(strings.Join(removed, ","), "1 huge pages") {
		t.Errorf("there were %d huge pages, now %d; removed %v, %v", before, now, removed, err)
	}
}

// fakePool is a machine that has memory for so many huge pages.
type fakePool struct{ pages, used, memory int }

func (p *fakePool) size() (int, error) { return p.pages, nil }
func (p *fakePool) free() int          { return p.pages - p.used }
func (p *fakePool) resize(n int) error { p.pages = min(n, p.memory); return nil }

// What the kernel does not grant is not given back: it would be somebody else's.
func TestHugePagesThatTheKernelHasNot(t *testing.T) {
	dir, pool := t.TempDir(), &fakePool{pages: 64, used: 64, memory: 104}
	err := addHugePages(pool, dir, "abcde", 1000)
	if err == nil || !strings.Contains(err.Error(), "memory for 40 of the 1000 missing") {
		t.Errorf("asked for too many: %v", err)
	}
	if err := returnHugePages(pool, dir, "abcde"); err != nil || pool.pages != 64 {
		t.Errorf("of the 64 huge pages of others %d are left, %v", pool.pages, err)
	}
}

// A run that is killed between its note and the change, or after it, has added what
// the kernel has more than before; so it is when it gives them back.
func TestHugePagesOfRunKilledInBetween(t *testing.T) {
	for _, now := range []int{64, 70, 74, 80} {
		dir, pool := t.TempDir(), &fakePool{pages: now, memory: 1000}
		s := settings{HugePages: hugePages{Doubt: &doubt{Run: "abcde", Base: 64, Count: 10}}}
		if err := s.write(dir); err != nil {
			t.Fatal(err)
		}
		if err := returnHugePages(pool, dir, "abcde"); err != nil {
			t.Fatal(err)
		}
		if want := 64 + max(0, now-74); pool.pages != want {
			t.Errorf("%d pages after the kill: %d are left, want %d", now, pool.pages, want)
		}
	}
}

// Two runs give back what each has added, in any order.
func TestHugePagesOfTwoRuns(t *testing.T) {
	dir, pool := t.TempDir(), &fakePool{memory: 1000}
	for run, n := range map[string]int{"first": 10, "second": 25} {
		if err := addHugePages(pool, dir, run, n+pool.free()); err != nil {
			t.Fatal(err)
		}
	}
	if err := returnHugePages(pool, dir, "first"); err != nil || pool.pages != 25 {
		t.Errorf("%d pages are left to the second run, %v", pool.pages, err)
	}
	if err := returnHugePages(pool, dir, "second"); err != nil || pool.pages != 0 {
		t.Errorf("%d pages are left, %v", pool.pages, err)
	}
	if left := runsIn(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestPoolIsAskedAgain: a signal ends a request before it is met; where there is no memory, asking ends.
func TestPoolIsAskedAgain(t *testing.T) {
	for _, c := range []struct{ memory, each, want, asked int }{{9, 1, 3, 3}, {9, 3, 3, 1}, {2, 1, 2, resizes}} {
		have, asked := 0, 0
		ask := func() error {
			asked++
			have = min(have+c.each, c.memory, 3)
			return nil
		}
		err := resizeWith(ask, func() (int, error) { return have, nil }, 3)
		if err != nil || have != c.want || asked != c.asked {
			t.Errorf("%+v: %d pages after %d requests, %v", c, have, asked, err)
		}
	}
}
