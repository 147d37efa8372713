package receive

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// arrival is a packet of a session as it arrives.
type arrival struct {
	session  int
	sequence uint64
	at       uint64
}

// arrivals are those of three sessions with losses, copies, reordering and delays.
func arrivals(r *rand.Rand, n int) (list []arrival, sent []uint64) {
	sent = make([]uint64, 3)
	at := uint64(1e9)
	for range n {
		session := r.IntN(len(sent))
		seq := sent[session]
		switch r.IntN(10) {
		case 0:
			seq -= min(seq, uint64(1+r.IntN(2000)))
		case 1:
			seq += uint64(r.IntN(1 << r.IntN(13)))
		}
		sent[session] = max(sent[session], seq+1)
		at += uint64(r.IntN(5000))
		list = append(list, arrival{session, seq, at})
	}
	return list, sent
}

// outcome is what a receiver makes of the arrivals of some sessions.
func outcome(t *testing.T, list []arrival, sent []uint64, mine func(session int) bool) traffic.FlowOutcome {
	r := New(testFlow(t, "uplink"))
	r.Begin(testTrial)
	own := make([]uint64, len(sent))
	for i, n := range sent {
		if mine(i) {
			own[i] = n
		}
	}
	for n, a := range list {
		if !mine(a.session) {
			continue
		}
		if n%50 == 0 {
			f := frame{data: []byte{1}, wrong: reason(n / 50 % int(reasons))}
			r.count(&f)
			continue
		}
		delay := 1000 + (a.at*2654435761)%90000
		sig := signature.Signature{Trial: testTrial, Sequence: a.sequence, Intended: a.at - delay - 7, Sent: a.at - delay}
		r.take(&sig, &r.tracks[a.session], 100+a.session, a.at, false)
	}
	o := r.Outcome(own)
	o.SentBySession = own
	return o
}

// TestPartsMakeTheWhole: what sinks count of different sessions, merged, is exactly
// what one sink counts of all.
func TestPartsMakeTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 10 {
		list, sent := arrivals(r, 20_000)
		whole := outcome(t, list, sent, func(int) bool { return true })
		var merged traffic.FlowOutcome
		for _, part := range []func(int) bool{
			func(s int) bool { return s == 1 }, func(s int) bool { return s != 1 }, func(int) bool { return false },
		} {
			o := outcome(t, list, sent, part)
			merged.Merge(&o)
		}
		if whole.Received == 0 || whole.Reordered == 0 || whole.Duplicates == 0 || len(whole.LossRuns) < 10 || len(whole.Wrong) < 10 {
			t.Fatalf("a poor test: %d received, %d reordered, %d duplicates, runs %v, wrong %v",
				whole.Received, whole.Reordered, whole.Duplicates, whole.LossRuns, whole.Wrong)
		}
		if !reflect.DeepEqual(merged, whole) {
			merged.Latency, merged.Actual, merged.IPDV, merged.Extents = traffic.Histogram{}, traffic.Histogram{},
				traffic.Histogram{}, traffic.Histogram{}
			whole.Latency, whole.Actual, whole.IPDV, whole.Extents = traffic.Histogram{}, traffic.Histogram{},
				traffic.Histogram{}, traffic.Histogram{}
			t.Fatalf("merged\n%+v, the whole\n%+v (without histograms)", merged, whole)
		}
	}
}
