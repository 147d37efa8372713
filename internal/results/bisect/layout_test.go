package bisect

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
)

// TestLayoutOfGo: the variables of a layout make Go's linker place the functions of a program otherwise, and the same
// layout is the same. A script has none.
func TestLayoutOfGo(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module x\n", "main.go": "package main\nfunc main() { println(1) }\n", "run.sh": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	built := func(layout int) string {
		program := filepath.Join(dir, "x")
		c := exec.Command("go", "build", "-o", program, ".")
		c.Dir, c.Env = dir, append(os.Environ(), layoutVariables(layout, "")...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return layoutOf([]string{program})
	}
	plain, one, two := built(0), built(1), built(2)
	if plain == "" || plain == one || one == two || built(1) != one {
		t.Errorf("%q, %q, %q", plain, one, two)
	}
	if got := layoutOf([]string{filepath.Join(dir, "run.sh")}); got != "" || layoutOf(nil) != "" {
		t.Errorf("a script has the layout %q", got)
	}
	if got := layoutOf([]string{dir}); got == "" {
		t.Error("a folder with a program has none")
	}
}

// TestLayoutVariables: flags of the user's for the linker stay.
func TestLayoutVariables(t *testing.T) {
	for flags, want := range map[string]string{
		"": "UPFLAB_LAYOUT=2 GOFLAGS=-ldflags=-randlayout=2", "-trimpath": "UPFLAB_LAYOUT=2 GOFLAGS=-trimpath -ldflags=-randlayout=2",
		"-ldflags=-w": "UPFLAB_LAYOUT=2",
	} {
		if got := strings.Join(layoutVariables(2, flags), " "); got != want {
			t.Errorf("%q: %q", flags, got)
		}
	}
	if got := layoutVariables(0, ""); !slices.Equal(got, []string{"UPFLAB_LAYOUT=0"}) {
		t.Errorf("%q", got)
	}
}

// TestTogether: the mean of four layouts has half of the uncertainty, of the measurement and of the layout.
func TestTogether(t *testing.T) {
	one := Reading{Metric: compare.RxPPS, Worse: 0.1, Lo: 0.08, Hi: 0.12, Known: true}
	sum := together([][]Reading{{one}, {one}, {one}, {one}})[0]
	if math.Abs(sum.Worse-0.1) > 1e-12 || math.Abs(sum.Lo-0.09) > 1e-12 || math.Abs(sum.Hi-0.11) > 1e-12 || sum.Layouts != 4 {
		t.Errorf("%+v", sum)
	}
	if got, want := sum.layoutSD(), math.Sqrt2*LayoutOffset/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, not %v", got, want)
	}
	if got := together([][]Reading{{one}, {}})[0]; got.Known {
		t.Errorf("of one layout alone: %+v", got)
	}
}

// TestFixedLayout: a build that leaves the same code whatever is asked of it is compared in one layout, and the
// result says so.
func TestFixedLayout(t *testing.T) {
	l := newLab(t)
	l.line([]int{1000, 1000, 900, 900})
	r, err := l.find(&measurer{noise: 0.02}, "c0", "HEAD")
	if err != nil || r.Outcome != Found || r.FixedLayout != "" { // one layout is all that was asked for
		t.Errorf("%v, %s, %q", err, r.Outcome, r.FixedLayout)
	}
	m := &measurer{noise: 0.02}
	l.layouts = 4
	r, err = l.find(m, "c0", "HEAD")
	if err != nil || r.Outcome != Found || !strings.Contains(r.FixedLayout, "no ELF file") {
		t.Errorf("%v, %s, %q", err, r.Outcome, r.FixedLayout)
	}
	if text := fmt.Sprint(r.Steps); strings.Contains(text, "confirms") {
		t.Error(text)
	}
}
