package impair

import (
	"math"
	"testing"

	"github.com/upflab/upflab/upf/datapath/forward"
)

// TestPolicer: of T-PDUs beyond its rate a token bucket lets exactly the rate pass, after as many
// octets as it is deep.
func TestPolicer(t *testing.T) {
	const octets, depth, rate = 1000, 50_000, 80e6
	p := newPolicer(Parameters{MBR: rate, Bucket: depth})
	const gap, n = 66_667, 200_000 // ns: 120 Mbit/s for 13 s
	passed, first := 0, -1
	for i := range n {
		switch {
		case p.admit(octets, uint64(1e9+i*gap)):
			passed++
		case first < 0:
			first = i
		}
	}
	took := float64(n*gap) / 1e9
	if got := float64(passed*octets-depth) * 8 / took; math.Abs(got/rate-1) > 1e-4 {
		t.Errorf("%.1f bit/s pass, want %.0f", got, rate)
	}
	if want := int(depth / octets / (1 - rate/120e6)); first < want-2 || first > want+2 {
		t.Errorf("packet %d is the first that is lost, want %d", first, want)
	}
}

// TestPolicerInTheLane: what is lost has its place in the ledger, and a default depth is some packets.
func TestPolicerInTheLane(t *testing.T) {
	b := newBench(t, "mbr=1Mbps", forward.Uplink)
	if b.police.bucket != leastBucket {
		t.Errorf("a bucket of %.0f octets, want %d", b.police.bucket, leastBucket)
	}
	b.police.bucket, b.police.tokens = 100, 50 // of packets without a T-PDU's length
	a := b.flow(100, 100)
	if balanced(t, b, a, 100); a.Lost["mbr"] != 0 {
		t.Errorf("empty T-PDUs were lost: %v", a.Lost)
	}
	p := b.pool.take()
	p.tpdu, p.arrival = 1000, b.at
	b.book.received(2)
	b.accept(p)
	if n := b.book.totals.view().Lost["mbr"]; n != 1 {
		t.Errorf("the ledger has %d packets lost to the bucket, want 1", n)
	}
	if newBench(t, "downlink.mbr=2G", forward.Uplink).police != nil {
		t.Error("uplink is policed, too")
	}
}
