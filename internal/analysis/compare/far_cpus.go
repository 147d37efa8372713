package compare

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/record"
)

// farCPUs are the repeats in which the host had the generator's CPU and the UPF's farther
// apart for one side than for the other: what they differ by is not the UPFs'.
func (g groupPair) farCPUs() (repeats []int) {
	for repeat, a := range cacheLines(g.A) {
		if b := cacheLines(g.B)[repeat]; verdict.Apart(max(a, b), min(a, b)) {
			repeats = append(repeats, repeat)
		}
	}
	slices.Sort(repeats)
	return repeats
}

// cacheLines is how long a cache line took in each repeat, ns, the longest of its valid trials.
func cacheLines(g group) map[int]float64 {
	longest := map[int]float64{}
	for _, t := range g.Valid {
		if e := t.Evidence; e != nil && e.LineNS != nil {
			longest[t.Repeat] = max(longest[t.Repeat], *e.LineNS)
		}
	}
	return longest
}

// without leaves repeats out.
func (s series) without(repeats []int) series {
	return slices.DeleteFunc(slices.Clone(s), func(v value) bool { return slices.Contains(repeats, v.Repeat) })
}

// excludeFarCPUs says which pairs have no part in changes by repeat.
func (c *Comparison) excludeFarCPUs(a, b *record.DUT, g groupPair) {
	for _, repeat := range g.farCPUs() {
		c.LeftOut = append(c.LeftOut,
			fmt.Sprintf("%s against %s, %s, repeat %d: the host had the CPUs of generator and UPF apart in one of "+
				"the two (a cache line took %.0f ns there and back in A, %.0f in B)",
				Label(a), Label(b), g.A.name(), repeat, cacheLines(g.A)[repeat], cacheLines(g.B)[repeat]))
	}
}
