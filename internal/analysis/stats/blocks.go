package stats

import (
	"math/rand/v2"
	"slices"
)

// Blocks is the order in which n things are visited in each repeat: in randomised complete
// blocks, of which each second one is the reverse of the one before (A B, B A), so that a
// machine that drifts steadily favours none of them over two repeats. The same seed gives the
// same order. The thing numbered first, if it is one of them, comes first in the first repeat.
func Blocks(n, repeats, first int, seed uint64) (blocks [][]int) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for len(blocks) < repeats {
		order := rng.Perm(n)
		if at := slices.Index(order, first); at >= 0 && len(blocks) == 0 {
			order = slices.Insert(slices.Delete(order, at, at+1), 0, first)
		}
		reverse := slices.Clone(order)
		slices.Reverse(reverse)
		blocks = append(blocks, order, reverse)
	}
	return blocks[:repeats]
}

// Counterbalanced reports whether paired differences can be told from a drift, where so many
// of them were taken with A before B, and so many with B before A: more than a fifth is of
// either order, which is what a trimmed mean leaves out.
func Counterbalanced(ab, ba int) bool { return min(ab, ba) > (ab+ba)/5 }
