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

// gallop looks for the first of 0, 1, 3, 7 ... top that is not good, and the good
// one before it: short bursts take less time than long ones. hi is 0 when not
// even 0 is good, lo is top when all are.
func gallop(top uint64, good func(uint64) (bool, error)) (lo, hi uint64, err error) {
	for n := uint64(0); ; n = min(top, 2*n+1) {
		ok, err := good(n)
		if err != nil || !ok {
			return lo, n, err
		}
		if lo = n; n == top {
			return lo, n + 1, nil
		}
	}
}
