package window

import (
	"math/bits"

	"github.com/upflab/upflab/wire/histogram"
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

// Each gives the counts of its buckets, of those that are not empty.
func (v *Values) Each(each func(bucket int, count uint32)) {
	v.lines(func(first int) { give(v.line(first), first, each) })
}

// Take empties it, giving the counts of its buckets to each; nil: to nobody.
func (v *Values) Take(each func(bucket int, count uint32)) {
	v.lines(func(first int) {
		if each != nil {
			give(v.line(first), first, each)
		}
		clear(v.line(first))
	})
	v.sum, v.most, v.least, v.used = 0, 0, 0, [5]uint64{}
}

// lines gives the first bucket of each line that was used.
func (v *Values) lines(each func(first int)) {
	for word, used := range v.used {
		for ; used != 0; used &= used - 1 {
			each((word*64 + bits.TrailingZeros64(used)) * group)
		}
	}
}

func (v *Values) line(first int) []uint32 { return v.buckets[first : first+group] }

func give(line []uint32, first int, each func(bucket int, count uint32)) {
	for i, n := range line {
		if n > 0 {
			each(first+i, n)
		}
	}
}
