package selftest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
)

// The same device is compared with itself so often, and may differ so often: one
// of twenty comparisons at 95 % differs by chance.
const (
	sameComparisons = 20
	sameMayDiffer   = 2
)

// repeatability is how far searches of the same device differ, and whether
// what compare makes of any two halves of them is that they are the same.
func repeatability(r *record.Result) (rows []Row) {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		more := append(spread(d), differing(r, d))
		for n := range more {
			more[n].Device, more[n].Trial, more[n].bends = compare.Label(d), "uplink search", true
		}
		rows = append(rows, more...)
	}
	return rows
}

// spread is the coefficient of variation of the rates found. It is shown, and there
// is no truth to hold it against.
func spread(d *record.DUT) []Row {
	var rates []float64
	for _, s := range d.Searches {
		if s.Valid && s.ThroughputPPS > 0 {
			rates = append(rates, s.ThroughputPPS)
		}
	}
	if len(rates) < 3 {
		return []Row{failed("coefficient of variation", "only %d of %d searches are valid", len(rates), len(d.Searches))}
	}
	mean, deviation := moments(rates)
	return []Row{{Quantity: "coefficient of variation", Unit: Percent, Measured: 100 * deviation / mean, Told: true, Pass: true}}
}

func moments(sample []float64) (mean, deviation float64) {
	for _, x := range sample {
		mean += x / float64(len(sample))
	}
	for _, x := range sample {
		deviation += (x - mean) * (x - mean) / float64(len(sample)-1)
	}
	return mean, math.Sqrt(deviation)
}

// differing compares halves of a device's searches, drawn by lot, with the other
// halves, and counts how often compare says that they differ.
func differing(r *record.Result, d *record.DUT) Row {
	differ := 0
	for n := range uint64(sameComparisons) {
		a, b := halves(r, d, n)
		c, err := compare.Compare(compare.Input{Name: "A", Result: a}, compare.Input{Name: "B", Result: b},
			compare.Options{Metrics: []compare.Metric{compare.Throughput}, Raw: true})
		if err != nil {
			return failed("comparisons with itself", "%v", err)
		}
		if differs(c) {
			differ++
		}
	}
	return within(fmt.Sprintf("of %d comparisons with itself, differing", sameComparisons), Comparisons, 0, float64(differ), sameMayDiffer)
}

func differs(c *compare.Comparison) bool {
	for _, p := range c.Pairs {
		for _, f := range p.Figures {
			if f.Verdict == compare.Worse || f.Verdict == compare.Better {
				return true
			}
		}
	}
	return false
}

// halves are two results of one device, each with half of its searches.
func halves(r *record.Result, d *record.DUT, seed uint64) (a, b *record.Result) {
	order := rand.New(rand.NewPCG(seed, 2)).Perm(len(d.Searches))
	half := func(name string, of []int) *record.Result {
		one := *d
		one.Reference, one.Trials, one.Searches = false, nil, nil // wire stands for a UPF here
		for i, n := range of {
			s := d.Searches[n]
			s.Repeat = i + 1
			one.Searches = append(one.Searches, s)
		}
		whole := *r
		whole.Run, whole.DUTs = r.Run+name, []record.DUT{one}
		return &whole
	}
	return half("a", order[:len(order)/2]), half("b", order[len(order)/2:])
}
