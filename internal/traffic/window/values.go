package window

import (
	"math/bits"

	"github.com/upflab/upflab/internal/proto/histogram"
)

// group is how many buckets lie in a line of the cache.
const group = 16

// Values is a histogram of a window. Which of its cache lines were used is noted, for a
// window uses few, and only those need to be read and cleared. The zero value is empty.
type Values struct {
	sum, most, least uint64 // least: in one's complement
	used             [5]uint64
	buckets          [histogram.Buckets]uint32
}

// Add counts a value.
func (v *Values) Add(x uint64) {
	b := histogram.Bucket(x)
	v.sum += x
	v.most, v.least = max(v.most, x), max(v.least, ^x)
	v.used[b/group/64] |= 1 << (b / group % 64)
	v.buckets[b]++
}

// Empty reports whether there are no values.
func (v *Values) Empty() bool { return v.used == [5]uint64{} }

// Extremes are the least and the greatest value, and the sum of all. There has to be
// one.
func (v *Values) Extremes() (least, most, sum uint64) { return ^v.least, v.most, v.sum }

// Counts are those of a histogram's buckets.
type Counts = [histogram.Buckets]uint64

// AddTo adds the counts of its buckets to others and returns how many values there are.
func (v *Values) AddTo(to *Counts) (n uint64) {
	for word, used := range v.used {
		for ; used != 0; used &= used - 1 {
			first := firstOf(word, used)
			n += add(to[first:first+group], v.buckets[first:first+group])
		}
	}
	return n
}

// firstOf is the first bucket of the first line that is used in a word.
func firstOf(word int, used uint64) int { return (word*64 + bits.TrailingZeros64(used)) * group }

// AddToBlock adds the counts of its buckets to those of a longer time.
func (v *Values) AddToBlock(to []uint32) {
	for word, used := range v.used {
		for ; used != 0; used &= used - 1 {
			first := firstOf(word, used)
			for i, c := range v.buckets[first : first+group] {
				to[first+i] += c
			}
		}
	}
}

func add(to []uint64, counts []uint32) (n uint64) {
	for i, c := range counts {
		to[i] += uint64(c)
		n += uint64(c)
	}
	return n
}

// Clear empties it.
func (v *Values) Clear() {
	for word, used := range v.used {
		for ; used != 0; used &= used - 1 {
			first := firstOf(word, used)
			clear(v.buckets[first : first+group])
		}
	}
	v.sum, v.most, v.least, v.used = 0, 0, 0, [5]uint64{}
}
