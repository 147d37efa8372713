package record

// LongestRun is the most packets that were lost in a row; 0: none was lost.
func LongestRun(runs []LossRun) (longest uint64) {
	for _, r := range runs {
		longest = max(longest, r.Length)
	}
	return longest
}

// MeanRun is the mean length of the runs, packets; 0: none was lost. Independent
// losses with probability p have runs of 1/(1-p).
func MeanRun(runs []LossRun) float64 {
	var packets, n uint64
	for _, r := range runs {
		packets += r.Length * r.Count
		n += r.Count
	}
	if n == 0 {
		return 0
	}
	return float64(packets) / float64(n)
}
