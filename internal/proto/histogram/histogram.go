// Package histogram is the layout of log-linear histograms: as many buckets for each
// power of two, so that every value is known to the same relative precision. For BPF
// programs it is in histogram.h; a test of package wire compares the two.
package histogram

import "math/bits"

// The layout that generators and sinks count in: 128 buckets for each power of two,
// so that a value is known to 1/128, 0.8 %.
const (
	SubBits = 7
	MaxBits = 40 // 2^40 ns are 18 minutes
	// Buckets is how many there are.
	Buckets = (MaxBits - SubBits + 1) << SubBits
)

// Bucket gives the bucket of a value, Upper the highest value of a bucket.
func Bucket(v uint64) int     { return Layout{SubBits, MaxBits}.Bucket(v) }
func Upper(bucket int) uint64 { return Layout{SubBits, MaxBits}.Upper(bucket) }

// Lower gives the lowest value of a bucket.
func Lower(bucket int) uint64 {
	if bucket == 0 {
		return 0
	}
	return Upper(bucket-1) + 1
}

// Layout has 2^SubBits buckets for each power of two, and one for each value below
// 2^SubBits. Values from 2^MaxBits on are in the last. There are
// (MaxBits-SubBits+1) << SubBits.
type Layout struct{ SubBits, MaxBits int }

// Bucket gives the bucket of a value.
func (l Layout) Bucket(v uint64) int {
	switch {
	case v>>l.SubBits == 0:
		return int(v)
	case v>>l.MaxBits != 0:
		return (l.MaxBits-l.SubBits+1)<<l.SubBits - 1
	}
	shift := bits.Len64(v) - 1 - l.SubBits
	return shift<<l.SubBits + int(v>>shift) // the leading bit begins the next power
}

// Upper is the highest value of a bucket. Of the last one that is 2^MaxBits - 1.
func (l Layout) Upper(bucket int) uint64 {
	sub := 1 << l.SubBits
	if bucket < sub {
		return uint64(bucket)
	}
	shift := bucket>>l.SubBits - 1
	return (uint64(sub+bucket&(sub-1))+1)<<shift - 1
}
