package impair

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// policer is a token bucket for T-PDUs. It keeps its own time, which is that of the
// arrivals. It begins full.
type policer struct {
	rate   float64 // octets/ns
	bucket float64 // octets
	tokens float64
	last   uint64 // ns
}

// A bucket that is not given holds bucketFor of its rate, and leastBucket at least: some packets.
const (
	bucketFor   = 5e6 // ns
	leastBucket = 20_000
)

func newPolicer(p Parameters) *policer {
	if p.MBR == 0 {
		return nil
	}
	b := &policer{rate: p.MBR / 8e9, bucket: float64(p.Bucket)}
	if p.Bucket == 0 {
		b.bucket = math.Max(leastBucket, math.Floor(b.rate*bucketFor))
	}
	b.tokens = b.bucket
	return b
}

// admit takes a T-PDU that arrives at a time, ns, unless there are fewer tokens than it has octets.
func (b *policer) admit(octets int, at uint64) bool {
	if at > b.last {
		b.tokens = min(b.bucket, b.tokens+b.rate*float64(at-b.last))
		b.last = at
	}
	if b.tokens < float64(octets) {
		return false
	}
	b.tokens -= float64(octets)
	return true
}

// Bounds of a policer's rate, bit/s.
const (
	leastMBR = 1e3
	mostMBR  = 100e9
)

// setBits reads bit/s: 90M, 90Mbps, 1.5G.
func setBits(to *float64, value string) error {
	number, unit := strings.TrimSuffix(value, "bps"), 1.0
	switch {
	case strings.HasSuffix(number, "k"):
		unit = 1e3
	case strings.HasSuffix(number, "M"):
		unit = 1e6
	case strings.HasSuffix(number, "G"):
		unit = 1e9
	}
	n, err := strconv.ParseFloat(strings.TrimRight(number, "kMG"), 64)
	if n *= unit; err != nil || !(n >= leastMBR && n <= mostMBR) {
		return fmt.Errorf("is not a rate in 1kbps..100Gbps: write it like 90Mbps")
	}
	*to = n
	return nil
}
