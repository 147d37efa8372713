package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBlocks(t *testing.T) {
	blocks := Blocks(4, 5, 7, func(i int) bool { return i == 2 })
	if len(blocks) != 5 || blocks[0][0] != 2 {
		t.Fatalf("%v: five blocks, of which the first begins with 2, were asked for", blocks)
	}
	for i, order := range blocks {
		if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, []int{0, 1, 2, 3}) {
			t.Errorf("block %d is %v, not complete", i, order)
		}
		if i%2 == 1 {
			back := slices.Clone(order)
			slices.Reverse(back)
			if !slices.Equal(back, blocks[i-1]) {
				t.Errorf("block %d is %v after %v, not its reverse", i, order, blocks[i-1])
			}
		}
	}
	again := Blocks(4, 5, 7, func(i int) bool { return i == 2 })
	for i := range blocks {
		if !slices.Equal(blocks[i], again[i]) {
			t.Errorf("the same seed gives %v and %v", blocks, again)
		}
	}
	if one := Blocks(1, 3, 1, nil); len(one) != 3 || len(one[0]) != 1 {
		t.Errorf("one thing, three times: %v", one)
	}
}

// drift is a machine whose speed changes from visit to visit, as a logarithm.
type drift struct {
	name string
	at   func(visit int) float64
}

func drifts(rng *rand.Rand) []drift {
	walk := make([]float64, 100)
	for i := 1; i < len(walk); i++ {
		walk[i] = walk[i-1] + 0.01*rng.NormFloat64()
	}
	phase := 2 * math.Pi * rng.Float64()
	return []drift{
		{"1 % a visit", func(v int) float64 { return -0.01 * float64(v) }},
		{"a jump in the middle", func(v int) float64 { return 0.1 * float64(v/7) }},
		{"a wave of twenty visits", func(v int) float64 { return 0.02 * math.Sin(float64(v)*math.Pi/10+phase) }},
		{"a random walk of 1 %", func(v int) float64 { return walk[v] }},
		{"slower, and faster again", func(v int) float64 { return 0.0005 * float64((v-7)*(v-7)) }},
		{"none", func(int) float64 { return 0 }},
		{"warming up, by 5 % at once", func(v int) float64 { return -0.05 * math.Exp(-float64(v)) }},
	}
}

// TestDriftIsNoDifference: two builds that are the same, with wire around, on machines that
// drift. At most 5 % of comparisons find them different, in the order of Blocks; in the order
// A B A B most do.
func TestDriftIsNoDifference(t *testing.T) {
	const times, noise = 500, 0.003
	inTurn := func(n, repeats int) (blocks [][]int) {
		for range repeats {
			blocks = append(blocks, []int{0, 1, 2}[:n])
		}
		return blocks
	}
	rng, old := rand.New(rand.NewPCG(3, 1)), 0
	for _, repeats := range []int{3, 4, 5, 7, 10} {
		found := make([]int, len(drifts(rng)))
		for n := range times {
			for i, d := range drifts(rng) {
				if differs(rng, Blocks(3, repeats, uint64(n), func(i int) bool { return i == 0 }), d.at, noise) {
					found[i]++
				}
				if i == 0 && repeats == 7 && differs(rng, inTurn(3, repeats), d.at, noise) {
					old++
				}
			}
		}
		for i, d := range drifts(rng) {
			percent := 100 * float64(found[i]) / times
			t.Logf("%2d repeats, %-28s different in %4.1f %%", repeats, d.name, percent)
			if percent > 8 { // 5 and three times the deviation of 500 draws
				t.Errorf("%d repeats, %s: different in %.1f %%", repeats, d.name, percent)
			}
		}
	}
	if old < times/2 {
		t.Errorf("in the order A B A B only %d of %d differ: the simulation shows nothing", old, times)
	}
}

// differs compares things 1 and 2, which are the same, by repeat.
func differs(rng *rand.Rand, blocks [][]int, drift func(int) float64, noise float64) bool {
	visit := 0
	var differences []float64
	for _, order := range blocks {
		var at [3]float64
		for _, thing := range order {
			at[thing] = drift(visit) + noise*rng.NormFloat64()
			visit++
		}
		differences = append(differences, at[2]-at[1])
	}
	d, ok := Paired(differences, Doubt{})
	return ok && d.Clear()
}

// TestInBlocks: each pair of repeats is A B, B A or the other way round, and an error ends it.
func TestInBlocks(t *testing.T) {
	var order string
	note := func(name string) func() error {
		return func() error { order += name; return nil }
	}
	if err := InBlocks(4, 3, note("a"), note("b")); err != nil || len(order) != 8 {
		t.Fatalf("%q, %v", order, err)
	}
	for _, pair := range []string{order[:4], order[4:]} {
		if pair != "abba" && pair != "baab" {
			t.Errorf("%q is not counterbalanced", order)
		}
	}
	failed, calls := errors.New("failed"), 0
	if err := InBlocks(4, 3, func() error { calls++; return failed },
		func() error { calls++; return failed }); !errors.Is(err, failed) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
