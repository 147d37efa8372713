package bisect

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// Where code happens to lie in a program makes it some percent faster or slower (Mytkowicz, Diwan, Hauswirth, Sweeney,
// "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS 2009), and each build lies elsewhere. Repeats
// do not show it: the same build is as fast each time. So builds are compared in several layouts where the build
// can vary them, and what is left of it is a part of each interval.

// LayoutOffset is the standard deviation by which a build is faster or slower than its source, as a ratio. It is
// assumed: a few layouts do not measure it.
const LayoutOffset = 0.02

// layoutVariables tell a build command which layout is asked for. The linker of Go puts the functions in a random
// order; other builds can use UPFLAB_LAYOUT. Flags for the linker that the user has are not replaced.
func layoutVariables(layout int, goflags string) []string {
	list := []string{fmt.Sprintf("UPFLAB_LAYOUT=%d", layout)}
	if layout > 0 && !strings.Contains(goflags, "-ldflags") {
		list = append(list, "GOFLAGS="+strings.TrimSpace(fmt.Sprintf("%s -ldflags=-randlayout=%d", goflags, layout)))
	}
	return list
}

// layoutOf identifies the machine code of programs by its place and bytes; "": one is no ELF file.
func layoutOf(paths []string) string {
	sum := sha256.New()
	for _, path := range paths {
		files, err := regular(path)
		if err != nil || len(files) == 0 {
			return ""
		}
		known := false
		for _, file := range files {
			known = addCode(sum, file) == nil || known
		}
		if !known {
			return ""
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// regular are the files of a folder, or the one that it is.
func regular(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, name)
		}
		return err
	})
	return files, err
}

func addCode(sum hash.Hash, path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Type == elf.SHT_NOBITS {
			continue
		}
		code, err := s.Data()
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d %d\n", s.Name, s.Addr, len(code))
		sum.Write(code)
	}
	return nil
}

// layoutSD is the standard deviation of the difference of two builds in so many layouts, as a ratio.
func (r Reading) layoutSD() float64 {
	if r.Metric.Additive() {
		return 0 // a loss is of what the UPF cannot carry, and has no such ratio
	}
	return math.Sqrt2 * LayoutOffset / math.Sqrt(float64(max(r.Layouts, 1)))
}

// widened is a reading whose interval holds what the layout may make of it, by so many standard deviations.
func (r Reading) widened(times float64) Reading {
	by := times * r.layoutSD()
	r.Lo, r.Hi = r.Worse-math.Hypot(r.Worse-r.Lo, by), r.Worse+math.Hypot(r.Hi-r.Worse, by)
	return r
}

// sure is how many standard deviations an interval of 95 % has.
var sure = stats.Reach(1, 0)

// together is what readings of several layouts come to: the mean of each figure that all of them have.
func together(all [][]Reading) (list []Reading) {
	for _, first := range all[0] {
		r, n := first, float64(len(all))
		below, above := 0.0, 0.0
		r.Worse, r.Good, r.Other, r.Layouts = 0, 0, 0, len(all)
		for _, readings := range all {
			at := slices.IndexFunc(readings, func(x Reading) bool { return x.Same(first) })
			if at < 0 {
				r.Known, r.Why = false, "it has no figure in another layout"
				break
			}
			x := readings[at]
			r.Worse, r.Good, r.Other = r.Worse+x.Worse/n, r.Good+x.Good/n, r.Other+x.Other/n
			below, above = math.Hypot(below, (x.Worse-x.Lo)/n), math.Hypot(above, (x.Hi-x.Worse)/n)
			r.Known, r.AtMost = r.Known && x.Known, r.AtMost || x.AtMost
		}
		r.Lo, r.Hi = r.Worse-below, r.Worse+above
		list = append(list, r)
	}
	return list
}

// pair is the good build and another one, in a layout.
type pair struct{ good, other Program }

// pairIn builds both in a layout; ok is false where the build cannot vary it, which is so then for all others.
func (s *Search) pairIn(ctx context.Context, c Commit, layout int, before []pair) (p pair, ok bool, err error) {
	if layout >= max(s.Layouts, 1) || s.fixed != "" {
		return p, false, nil
	}
	if p.good, ok = s.goods[layout]; !ok {
		s.Progress(fmt.Sprintf("building good in layout %d", layout+1))
		if p.good, err = s.Builder.Build(ctx, fmt.Sprintf("%s-%d", goodTree, layout), s.good.Commit, layout); err == nil {
			s.goods[layout] = p.good
		}
	}
	if err == nil {
		s.Progress(fmt.Sprintf("building %s in layout %d", c.Short(), layout+1))
		p.other, err = s.Builder.Build(ctx, fmt.Sprintf("%s-%d", otherTree, layout), c, layout)
	}
	var broken BuildError
	switch {
	case errors.As(err, &broken):
		s.fixed = "it does not build in another layout: " + broken.Why
		return p, false, nil
	case err != nil:
		return p, false, err
	}
	for _, b := range before {
		switch {
		case p.good.Layout == "" || p.other.Layout == "":
			s.fixed = "the program is no ELF file"
		case p.good.Layout == b.good.Layout || p.other.Layout == b.other.Layout:
			s.fixed = "the build leaves the same machine code in each layout (it may use UPFLAB_LAYOUT)"
		}
	}
	return p, s.fixed == "", nil
}

// inLayouts measures a commit with the good one in one layout after the other, until what they come to is enough, the
// layout cannot be varied, or there are no more. At least so many are measured, if the build can.
func (s *Search) inLayouts(ctx context.Context, first Program, repeats, least int, of *Reading, enough func([]Reading) bool) ([]Reading, error) {
	pairs := []pair{{s.good, first}}
	readings, err := s.Measure.Measure(ctx, s.good, first, repeats, of)
	if err != nil {
		return nil, err
	}
	all := [][]Reading{readings}
	for {
		sum := together(all)
		if len(all) >= least && enough(sum) {
			return sum, nil
		}
		p, ok, err := s.pairIn(ctx, first.Commit, len(all), pairs)
		if err != nil || !ok {
			return sum, err
		}
		s.Progress(fmt.Sprintf("measuring %s and good in layout %d, %d times each", first.Commit.Short(), len(all)+1, repeats))
		more, err := s.Measure.Measure(ctx, p.good, p.other, repeats, of)
		if err != nil {
			return nil, err
		}
		pairs, all = append(pairs, p), append(all, more)
	}
}
