package search

// halving finds two neighbours lo, hi = lo+1 with good(lo) and not good(hi) in
// lo..hi, of which it is already known that good(lo) and not good(hi).
func halving(lo, hi uint64, good func(uint64) (bool, error)) (uint64, uint64, error) {
	for hi-lo > 1 {
		middle := lo + (hi-lo)/2
		ok, err := good(middle)
		if err != nil {
			return lo, hi, err
		}
		if ok {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo, hi, nil
}
