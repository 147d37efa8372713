package histogram

import (
	"math"
	"math/rand/v2"
	"testing"
)

var layouts = []Layout{{SubBits, MaxBits}, {9, 40}, {1, 8}}

// random is spread evenly over the powers of two that a histogram covers.
func random(r *rand.Rand, l Layout) uint64 { return r.Uint64() >> (64 - l.MaxBits + r.IntN(l.MaxBits)) }

func (l Layout) buckets() int { return (l.MaxBits - l.SubBits + 1) << l.SubBits }

func TestBucketError(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range layouts {
		for range 100_000 {
			v := random(r, l)
			b := l.Bucket(v)
			if b < 0 || b >= l.buckets() {
				t.Fatalf("%+v: %d is in bucket %d of %d", l, v, b, l.buckets())
			}
			top := l.Upper(b)
			if top < v || float64(top-v) > math.Ldexp(float64(v), -l.SubBits) {
				t.Fatalf("%+v: %d is in bucket %d, up to %d: an error of %g", l, v, b, top, float64(top-v)/float64(v))
			}
		}
	}
}

// Buckets follow each other without a gap.
func TestBucketBounds(t *testing.T) {
	for _, l := range layouts {
		last := l.buckets() - 1
		for b := range last + 1 {
			top := l.Upper(b)
			if l.Bucket(top) != b {
				t.Fatalf("%+v: the highest value of bucket %d, %d, is in bucket %d", l, b, top, l.Bucket(top))
			}
			if b < last && l.Bucket(top+1) != b+1 {
				t.Fatalf("%+v: the value after bucket %d, %d, is in bucket %d", l, b, top+1, l.Bucket(top+1))
			}
		}
		for _, v := range []uint64{1 << l.MaxBits, 1<<l.MaxBits + 1, math.MaxUint64} {
			if l.Bucket(v) != last {
				t.Errorf("%+v: %d is in bucket %d, want the last", l, v, l.Bucket(v))
			}
		}
	}
}

func TestShortForms(t *testing.T) {
	l := layouts[0]
	if l.buckets() != Buckets || Bucket(123456) != l.Bucket(123456) || Upper(1234) != l.Upper(1234) {
		t.Error("they are not those of the layout")
	}
}
