package report

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// whyIncomplete says what a run lacks.
func whyIncomplete(v view) string {
	var why []string
	for _, d := range v.DUTs {
		switch {
		case d.Status == record.StatusInterrupted:
			why = append(why, d.Label+" was interrupted")
		case d.failed():
			why = append(why, d.Label+" failed")
		case len(d.Trials) == 0:
			why = append(why, d.Label+" was not measured")
		}
	}
	if len(why) == 0 {
		return "the run was interrupted; what was measured until then follows"
	}
	return strings.Join(why, ", ") + "; what was measured follows"
}

// cpuList writes CPUs: "CPU 1,2".
func cpuList(cpus []int) string {
	if len(cpus) == 0 {
		return "no CPU of its own"
	}
	return "CPU " + strings.Trim(strings.ReplaceAll(fmt.Sprint(cpus), " ", ","), "[]")
}

// frames tells the sizes of the packets, by direction.
func frames(v view) []string {
	var lines []string
	if len(v.Sizes) > 0 {
		return []string{fmt.Sprintf("%s: %s", plural(len(v.Sizes), "size"), strings.Join(sizesOf(v.Result), ", "))}
	}
	for _, direction := range v.Directions {
		lines = append(lines, direction+": "+framesOf(v, direction))
	}
	return lines
}

func framesOf(v view, direction string) string {
	t := v.anyTrial(direction)
	if t == nil {
		return notMeasured
	}
	return lengths(t) + ", " + plural(t.Sessions, "session")
}

// anyTrial is one of a DUT, or, where there is none, of the reference, which may
// not change the size of a frame.
func (v view) anyTrial(direction string) *record.Trial {
	for _, d := range v.DUTs {
		for _, r := range d.Rows {
			if r.Direction == direction {
				return r.group.All[0]
			}
		}
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%s %ss", count(uint64(max(n, 0))), noun)
}

// verdictWords sums a verdict up.
func verdictWords(v verdict) string {
	if len(v.Reasons) > 0 {
		return strings.Join(v.Reasons, "; ")
	}
	if v.Valid && v.LimitedBy == record.LimitNone {
		return "everything offered was carried"
	}
	return "no reason was given"
}
