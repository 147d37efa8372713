package traffic

import (
	"slices"

	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/traffic/window"
)

// blocksMax is how many blocks a trial has at most. When there are more, neighbours are put
// together: half as many of twice the length. So a trial of any length has 65 to 128, if it
// is long enough, and they take 2.2 MB at most.
const blocksMax = 128

// Blocks are the latencies of a trial by time, for how they depend on each other: a block
// is 2^Level windows that lie together, and blocks of all parts of a trial begin at the same
// times. Windows that were not kept, and packets that came after theirs was folded, are in
// none.
type Blocks struct {
	Level uint
	List  []Block // ascending by ID
}

// Block is the histogram of one block; its first window is ID << Level.
type Block struct {
	ID     uint64
	Counts []uint32 // by bucket of package histogram
}

// add adds the values of a window.
func (b *Blocks) add(id uint64, v *window.Values) {
	if !v.Empty() {
		v.AddToBlock(b.at(id >> b.Level))
		b.limit()
	}
}

// at gives the counts of a block, which is mostly the last one.
func (b *Blocks) at(id uint64) []uint32 {
	i := len(b.List)
	for i > 0 && b.List[i-1].ID > id {
		i--
	}
	if i > 0 && b.List[i-1].ID == id {
		return b.List[i-1].Counts
	}
	b.List = slices.Insert(b.List, i, Block{id, make([]uint32, histogram.Buckets)})
	return b.List[i].Counts
}

func (b *Blocks) limit() {
	for len(b.List) > blocksMax {
		b.coarsen()
	}
}

// coarsen puts neighbours together.
func (b *Blocks) coarsen() {
	b.Level++
	kept := b.List[:0]
	for _, x := range b.List {
		x.ID >>= 1
		if n := len(kept); n > 0 && kept[n-1].ID == x.ID {
			addCounts(kept[n-1].Counts, x.Counts)
			continue
		}
		kept = append(kept, x)
	}
	clear(b.List[len(kept):])
	b.List = kept
}

func addCounts(to, from []uint32) {
	for i, n := range from {
		to[i] += n
	}
}

// merge adds those of another part of the trial.
func (b *Blocks) merge(other *Blocks) {
	if len(other.List) == 0 {
		return
	}
	for b.Level < other.Level {
		b.coarsen()
	}
	for _, x := range other.List {
		addCounts(b.at(x.ID>>(b.Level-other.Level)), x.Counts)
	}
	b.limit()
}

// Over counts, of each block, all values and those in higher buckets than a limit, ns.
func (b *Blocks) Over(limit uint64) (over, of []uint64) {
	highest := histogram.Bucket(limit)
	for _, x := range b.List {
		var above, all uint64
		for i, n := range x.Counts {
			all += uint64(n)
			if i > highest {
				above += uint64(n)
			}
		}
		over, of = append(over, above), append(of, all)
	}
	return over, of
}
