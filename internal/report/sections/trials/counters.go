package trials

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Counters are what the processor did for a packet, where it counts that.
func Counters(v *view.Run) block.Section {
	s := block.Section{Title: "Processor counters by load",
		Hint: "For each packet that arrived: what the UPF's CPUs did by their hardware counters, whatever ran there. " +
			"A cache miss is an access to memory that no cache had." + repeatHint(v)}
	for _, direction := range v.Directions {
		rows := slices.DeleteFunc(slices.Clone(v.AllRows(record.KindLoad, direction)), func(r *view.Row) bool {
			return !slices.ContainsFunc(r.All, func(t *record.Trial) bool { return t.Counters != nil })
		})
		if len(rows) > 0 {
			s.Blocks = append(s.Blocks, table(string(direction), rows, counterColumns()))
		}
	}
	return s
}

func counterColumns() []column {
	of := func(head string, count func(*record.Counters) *float64) column {
		return cell(head, "", counted(count), digits)
	}
	return []column{loadColumn(), upfColumn(),
		of("Instructions", func(c *record.Counters) *float64 { return c.Instructions }),
		of("Cycles", func(c *record.Counters) *float64 { return c.Cycles }),
		cell("Instructions per cycle", "", perCycle, twoDigits),
		of("Cache misses", func(c *record.Counters) *float64 { return c.CacheMisses }),
		of("Branch misses", func(c *record.Counters) *float64 { return c.BranchMisses })}
}

// counted is one of the counters; it is not known where the processor lacks it.
func counted(count func(*record.Counters) *float64) view.Quantity {
	return func(t *record.Trial) float64 {
		if t.Counters == nil || count(t.Counters) == nil {
			return math.NaN()
		}
		return *count(t.Counters)
	}
}

func perCycle(t *record.Trial) float64 {
	c := t.Counters
	if c == nil || c.Instructions == nil || c.Cycles == nil || *c.Cycles == 0 {
		return math.NaN()
	}
	return *c.Instructions / *c.Cycles
}

func twoDigits(x float64) string { return units.Number(x, "%.2f") }

// digits writes a mean: three digits of a small one.
func digits(x float64) string {
	if math.Abs(x) >= 100 {
		return units.Number(x, "%.0f")
	}
	return units.Number(x, "%.3g")
}
