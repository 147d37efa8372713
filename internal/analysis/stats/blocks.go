package stats

import (
	"math/rand/v2"
	"slices"
)

// Blocks is the order in which n things are visited in each repeat: in randomised complete
// blocks, of which each second one is the reverse of the one before (A B, B A), so that a
// machine that drifts steadily favours none of them over two repeats. The same seed gives the
// same order. Those that lead come before the others in the first repeat; nil: none does.
func Blocks(n, repeats int, seed uint64, leads func(int) bool) (blocks [][]int) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for len(blocks) < repeats {
		order := rng.Perm(n)
		if leads != nil && len(blocks) == 0 {
			slices.SortStableFunc(order, func(a, b int) int { return rank(leads(a)) - rank(leads(b)) })
		}
		reverse := slices.Clone(order)
		slices.Reverse(reverse)
		blocks = append(blocks, order, reverse)
	}
	return blocks[:repeats]
}

// InBlocks calls each function once in each repeat, in the order of Blocks, until one fails.
func InBlocks(repeats int, seed uint64, each ...func() error) error {
	for _, block := range Blocks(len(each), repeats, seed, nil) {
		for _, i := range block {
			if err := each[i](); err != nil {
				return err
			}
		}
	}
	return nil
}

// rank is less of what leads.
func rank(leads bool) int {
	if leads {
		return 0
	}
	return 1
}

// Counterbalanced reports whether paired differences can be told from a drift, where so many
// of them were taken with A before B, and so many with B before A: more than a fifth is of
// either order, which is what a trimmed mean leaves out.
func Counterbalanced(ab, ba int) bool { return min(ab, ba) > (ab+ba)/5 }
