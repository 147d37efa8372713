package search

import (
	"cmp"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// measured is everything known of one load.
type measured struct {
	load   int
	trials []sample
}

// database holds the trials of a search by load, ascending.
type database struct{ loads []measured }

func byLoad(m measured, load int) int { return cmp.Compare(m.load, load) }

func (d *database) add(load int, s sample) {
	i, found := slices.BinarySearchFunc(d.loads, load, byLoad)
	if !found {
		d.loads = slices.Insert(d.loads, i, measured{load: load})
	}
	d.loads[i].trials = append(d.loads[i].trials, s)
}

// at gives the trials at a load.
func (d *database) at(load int) []sample {
	i, found := slices.BinarySearchFunc(d.loads, load, byLoad)
	if !found {
		return nil
	}
	return d.loads[i].trials
}

// relevant gives the Relevant Upper Bound, the smallest load that is an upper
// bound (RFC 9971 clause 4.8.1), and the Relevant Lower Bound, the largest lower
// bound below it (clause 4.8.2). Good results above an upper bound do not count.
func (d *database) relevant(c criterion) bounds {
	var b bounds
	for _, m := range d.loads {
		switch c.classify(m.trials) {
		case lowerBound:
			b.lower = at(m.load)
		case upperBound:
			b.upper = at(m.load)
			return b
		}
	}
	return b
}

// limitedBy names what limited most of the time of the trials of one kind, high
// or low loss; "" when that is not known. A trial that lost too much and yet was limited
// by nothing lost so few packets that they show nothing.
func limitedBy(trials []sample, high bool, lossRatio float64) record.Limit {
	spent := map[record.Limit]time.Duration{}
	best := record.Limit("")
	for _, t := range trials {
		if t.high(lossRatio) != high || t.limitedBy == "" || high && t.limitedBy == record.LimitNone {
			continue
		}
		spent[t.limitedBy] += t.duration
		if best == "" || spent[t.limitedBy] > spent[best] {
			best = t.limitedBy
		}
	}
	return best
}

// beyondBench reports whether the high loss of these trials was the bench's.
func beyondBench(trials []sample, lossRatio float64) bool {
	return limitedBy(trials, true, lossRatio) == record.LimitGenerator
}
