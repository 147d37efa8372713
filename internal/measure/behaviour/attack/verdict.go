package attack

import (
	"fmt"
	"strings"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// A UPF grows when what it has rose from quarter to quarter, and by more than this: heaps
// and caches fill in the first one.
const (
	grownShare  = 0.25
	grownOctets = 16 << 20
	grownFiles  = 32
)

const unharmed = "the UPF lives, forwards, needs no more memory from quarter to quarter, and takes as many sessions as before"

// verdict is nil when no input did harm.
func (f *fuzz) verdict() error {
	if n := len(f.seen); n > 1 {
		a, z := f.seen[0], f.seen[n-1]
		f.out.MemoryBefore, f.out.MemoryAfter = a.Octets, z.Octets
		f.out.FilesBefore, f.out.FilesAfter = a.Files, z.Files
		f.out.ThreadsBefore, f.out.ThreadsAfter = a.Threads, z.Threads
	}
	if len(f.out.Ended) > 0 {
		return &fail.Failure{Verdict: record.VerdictDied, Expected: unharmed, Observed: endings(f.out.Ended)}
	}
	if growth := grown(f.seen); growth != "" {
		return fail.Wrong(unharmed, growth)
	}
	if before, after := f.out.RoomBefore, f.out.RoomAfter; after < before {
		return fail.Wrong(unharmed,
			fmt.Sprintf("of %d sessions that it took before the inputs it takes %d after them, with the sessions "+
				"of the inputs deleted", before, after))
	}
	return nil
}

// endings says how a UPF ended.
func endings(list []record.Ended) string {
	var parts []string
	for _, e := range list {
		text := e.What
		switch {
		case !e.Repeatable:
			text += fmt.Sprintf(" (the last %s did not do it again)", units.Plural(e.Inputs, "input"))
		default:
			text += fmt.Sprintf(" (%s do it)", units.Plural(e.Inputs, "input"))
		}
		if e.Times > 1 {
			text += fmt.Sprintf(", %d times", e.Times)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// grown says what a UPF gathered; "": nothing that lasts.
func grown(list []b.Footprint) string {
	if len(list) < 3 {
		return ""
	}
	first, last := list[0], list[len(list)-1]
	rises := func(of func(b.Footprint) int) bool {
		for i := 1; i < len(list); i++ {
			if of(list[i]) <= of(list[i-1]) {
				return false
			}
		}
		return true
	}
	octets := func(p b.Footprint) int { return int(p.Octets) }
	files := func(p b.Footprint) int { return p.Files }
	switch {
	case rises(octets) && last.Octets-first.Octets > grownOctets && float64(last.Octets) > (1+grownShare)*float64(first.Octets):
		return fmt.Sprintf("memory rises from %d to %d MiB, with the sessions of the inputs deleted", first.Octets>>20, last.Octets>>20)
	case rises(files) && last.Files-first.Files > grownFiles:
		return fmt.Sprintf("open files rise from %d to %d", first.Files, last.Files)
	}
	return ""
}
