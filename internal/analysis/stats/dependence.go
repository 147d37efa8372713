package stats

import "math"

// Block is a part of a trial's time: how many values it has, and how many of them are over
// a limit. Parts are of the same length, one after the other.
type Block struct{ Over, Of uint64 }

// fewestBlocks is how many blocks a variance is estimated from at least.
const fewestBlocks = 20

// DesignEffect is by how much more the share of values over a limit scatters than that of
// as many independent ones (Kish, "Survey Sampling", 1965): packets that queue together are
// late together. It is the variance between blocks (batch means; Law, "Simulation Modeling
// and Analysis", 9.5.3), with what Student's t adds for their number. Blocks are put
// together by twos until neighbours do not correlate any more; 0 where they still do when
// few are left, or where there were few: values depend on each other for too long to tell.
func DesignEffect(blocks []Block) float64 {
	for ; len(blocks) >= fewestBlocks; blocks = byTwos(blocks) {
		variance, correlation := betweenBlocks(blocks)
		if correlation*math.Sqrt(float64(len(blocks))) < 1 {
			const normal = 1.959964 // 97.5 %
			t := studentQuantile((1-Confidence)/2, float64(len(blocks)-1))
			return variance * (t / normal) * (t / normal)
		}
	}
	return 0
}

// byTwos puts neighbours together; a last one without a neighbour is left out.
func byTwos(blocks []Block) (list []Block) {
	for i := 0; i+1 < len(blocks); i += 2 {
		a, b := blocks[i], blocks[i+1]
		list = append(list, Block{a.Over + b.Over, a.Of + b.Of})
	}
	return list
}

// betweenBlocks is the variance of the share over the limit against that of independent
// values, and the correlation of neighbouring blocks. Where all values are on one side, or the
// share is the same in all blocks, it is 1 and 0.
func betweenBlocks(blocks []Block) (ratio, correlation float64) {
	var over, of float64
	for _, b := range blocks {
		over, of = over+float64(b.Over), of+float64(b.Of)
	}
	if over == 0 || over == of {
		return 1, 0
	}
	share, squares, neighbours, last := over/of, 0.0, 0.0, 0.0
	for _, b := range blocks {
		d := float64(b.Over) - share*float64(b.Of)
		squares, neighbours, last = squares+d*d, neighbours+d*last, d
	}
	if squares == 0 {
		return 1, 0 // every block has the same share: no value follows from those around it
	}
	m := float64(len(blocks))
	return m / (m - 1) * squares / (share * (1 - share) * of), neighbours / squares
}

// tailFactor is by how much more the share over a high quantile is inflated than that over the
// median, at least: 2.4 to 3 in M/M/1 at any load. The tail's own few bursts do not tell their
// scatter well, and look least scattered where they are fewest.
const tailFactor = 2.25

// fewestEvents is how many independent values beyond a quantile an interval takes.
const fewestEvents = 12

// QuantileShares gives the 95 % interval of a quantile q, 0..1, of n values that depend on
// each other, as shares of the values in ascending order: the true quantile lies between the
// values at these. median and own are the design effects of the shares over the median and
// over the quantile. It is that of as many independent values as tell the same. false: the
// values do not tell.
func QuantileShares(n uint64, q, median, own float64) (low, high float64, known bool) {
	if median == 0 || own == 0 {
		return 0, 0, false
	}
	effect := max(own, 1)
	if q != 0.5 {
		effect = max(effect, 1+tailFactor*(median-1))
	}
	size := uint64(float64(n) / effect)
	if float64(n)/max(median, 1)*min(q, 1-q) < fewestEvents {
		return 0, 0, false
	}
	lowest, highest := QuantileRanks(size, q, Confidence)
	if lowest == 0 || highest == 0 {
		return 0, 0, false
	}
	return float64(lowest-1) / float64(size), float64(highest) / float64(size), true
}
