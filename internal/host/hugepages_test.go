package host

import (
	"os"
	"path/filepath"
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
	c.kill()
	removed, err := CleanStaleIn(filepath.Dir(c.path))
	if now, _ := readNumber(nrHugePages); err != nil || now != before || !strings.Contains(strings.Join(removed, ","), "1 huge pages") {
		t.Errorf("there were %d huge pages, now %d; removed %v, %v", before, now, removed, err)
	}
}
