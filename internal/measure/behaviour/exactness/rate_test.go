package exactness

import (
	"math"
	"testing"
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/record"
)

// policed are packets of 1000 octets that a token bucket let pass, with a pause of the
// sender in their middle.
func policed(bps, offered, bucket float64, d time.Duration) (list []b.Fate) {
	const octets = 1000
	at, tokens := time.Unix(0, 0), bucket
	gap := time.Duration(octets * 8 / offered * 1e9)
	for since := time.Duration(0); since < d; since += gap {
		step := gap
		if since >= d/2 && since-gap < d/2 {
			step += 300 * time.Millisecond
		}
		if len(list)%700 == 699 { // a sender that others hold up
			step += 12 * time.Millisecond
		}
		at = at.Add(step)
		tokens = min(bucket, tokens+bps/8*step.Seconds())
		f := b.Fate{Octets: octets, Sent: at}
		if tokens >= octets {
			tokens -= octets
			f.Arrived = at.Add(50 * time.Microsecond)
		}
		list = append(list, f)
	}
	return list
}

// TestFill: a token bucket's rate is found within 0.2 %, its depth within two packets.
func TestFill(t *testing.T) {
	for _, mbps := range []float64{1, 10, 100} {
		r := record.RateLimit{MBRBPS: mbps * 1e6}
		fill(&r, policed(mbps*1e6, 1.5*mbps*1e6, 20_000, 6*time.Second))
		if math.Abs(r.Error) > 0.002 || math.Abs(r.BurstOctets-20_000) > 2000 {
			t.Errorf("%v Mbit/s: error %.5f, burst %.0f", mbps, r.Error, r.BurstOctets)
		}
		if want := 20_000 * 8 / (0.5 * mbps * 1e6); math.Abs(r.FirstLossS-want) > 0.1*want+0.02/mbps {
			t.Errorf("%v Mbit/s: first loss after %.4f s, want %.4f", mbps, r.FirstLossS, want)
		}
		if want := 20_000 * 8 / (0.5 * mbps * 1e6); math.Abs(r.ConvergeS-want) > 0.1*want+0.02/mbps || r.ConvergeWindowS < 0.02 {
			t.Errorf("%v Mbit/s: converged after %.4f s, want %.4f; windows of %.3f s", mbps, r.ConvergeS, want, r.ConvergeWindowS)
		}
		if r.LossRunMax != 1 || r.LossRun != 1 {
			t.Errorf("%v Mbit/s: runs of %v, at most %d", mbps, r.LossRun, r.LossRunMax)
		}
	}
}

// TestFillDisturbed: what was sent while the UPF did not get its CPU, and was lost before its
// meter, does not count.
func TestFillDisturbed(t *testing.T) {
	list := policed(100e6, 150e6, 20_000, 3*time.Second)
	begin := list[0].Sent
	for i := range list {
		f := &list[i]
		if since := f.Sent.Sub(begin) % (100 * time.Millisecond); since > 60*time.Millisecond && since < 75*time.Millisecond {
			f.Disturbed = true
			if since > 65*time.Millisecond {
				f.Arrived = time.Time{}
			}
		}
	}
	r := record.RateLimit{MBRBPS: 100e6}
	if fill(&r, list); math.Abs(r.Error) > 0.002 || math.Abs(r.BurstOctets-20_000) > 2000 || r.DisturbedS < 0.3 || r.DisturbedS > 0.6 {
		t.Errorf("error %.5f, burst %.0f, disturbed %.2f s", r.Error, r.BurstOctets, r.DisturbedS)
	}
	for i := range list {
		list[i].Disturbed = false
	}
	if fill(&r, list); r.Error > -0.05 {
		t.Errorf("the same without a note of the disturbance has an error of %.5f: it shows nothing", r.Error)
	}
}
