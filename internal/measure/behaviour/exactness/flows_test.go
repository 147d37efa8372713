package exactness

import (
	"slices"
	"testing"
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// TestSpread: the packets of each flow are far apart, and each flow keeps its share.
func TestSpread(t *testing.T) {
	var list []b.Flow
	var of []int
	for i, n := range []int{6, 8, 8} {
		for range n {
			list, of = append(list, b.Flow{QFI: uint8(i)}), append(of, i)
		}
	}
	spreadList, from := spread(list, of)
	counts := map[int]int{}
	for i, f := range from {
		counts[f]++
		if int(spreadList[i].QFI) != f {
			t.Fatalf("packet %d has QFI %d and is of flow %d", i, spreadList[i].QFI, f)
		}
	}
	if counts[0] != 6 || counts[1] != 8 || counts[2] != 8 {
		t.Errorf("shares %v of %v", counts, from)
	}
	for i := range from {
		if !slices.Contains([]int{from[i], from[(i+1)%len(from)], from[(i+2)%len(from)], from[(i+3)%len(from)], from[(i+4)%len(from)]}, 0) {
			t.Errorf("five packets without one of flow 0 from %d on: %v", i, from)
		}
	}
}

// competing are the flows' packets, of which pass says what arrives.
func competing(c *competition, pass func(flow int, at time.Duration) bool) (all []b.Fate, of []int) {
	for i, f := range c.flows {
		for range int(f.offered / flowUnit) {
			of = append(of, i)
		}
	}
	_, of = spread(make([]b.Flow, len(of)), of)
	gap := time.Duration(8 * flowOctets * 1e9 / (flowUnit * float64(len(of))))
	for n := range 6000 {
		at := time.Duration(n) * gap
		f := b.Fate{Octets: flowOctets, Up: true, Flow: n % len(of), Sent: time.Unix(0, 0).Add(at)}
		if pass(of[f.Flow], at) {
			f.Arrived = f.Sent.Add(20 * time.Microsecond)
		}
		all = append(all, f)
	}
	return all, of
}

// bucket is a token bucket.
func bucket(bps float64) func(at time.Duration) bool {
	const depth = 8000.
	tokens, last := depth, time.Duration(0)
	return func(at time.Duration) bool {
		tokens, last = min(depth, tokens+bps/8*(at-last).Seconds()), at
		if tokens < flowOctets {
			return false
		}
		tokens -= flowOctets
		return true
	}
}

// TestCompetition: UPFs that do right pass, and who does not is found.
func TestCompetition(t *testing.T) {
	ambr := competition{flows: []qosFlow{{1, 6e6, 8e6, 6e6}, {2, 0, 0, 8e6}, {3, 0, 0, 8e6}}}
	over := competition{flows: []qosFlow{{1, 6e6, 8e6, 12e6}, {2, 0, 0, 4e6}}}
	shared := competition{flows: []qosFlow{{1, 6e6, 8e6, 6e6}, {2, 0, 0, 4e6}, {3, 0, 0, 4e6}}, all: true}
	rest, flow, all := bucket(sessionRate), bucket(8e6), bucket(sessionRate)
	one := bucket(sessionRate)
	low := bucket(0.9 * sessionRate)
	for story, c := range map[string]struct {
		competition
		pass func(int, time.Duration) bool
		want record.Verdict
	}{
		"right":                          {ambr, func(f int, at time.Duration) bool { return f == 0 || rest(at) }, record.VerdictEnforced},
		"nothing is limited":             {ambr, func(int, time.Duration) bool { return true }, record.VerdictNotEnforced},
		"the session's rate is 10 % low": {ambr, func(f int, at time.Duration) bool { return f == 0 || low(at) }, record.VerdictWrong},
		"the session's rate limits all":  {ambr, func(_ int, at time.Duration) bool { return one(at) }, record.VerdictWrong},
		"a flow keeps to its maximum":    {over, func(f int, at time.Duration) bool { return f > 0 || flow(at) }, record.VerdictEnforced},
		"its maximum is not enforced":    {over, func(int, time.Duration) bool { return true }, record.VerdictNotEnforced},
		"all lose alike":                 {shared, func(_ int, at time.Duration) bool { return all(at) }, record.VerdictNotApplicable},
	} {
		list, of := competing(&c.competition, c.pass)
		split, under := c.split(list, of)
		var got []record.FlowShare
		for i, f := range c.flows {
			got = append(got, share(f, split[i]))
		}
		verdict := record.VerdictEnforced
		if err := c.judge(got, split, under); err != nil {
			verdict = err.(*fail.Failure).Verdict
		}
		if verdict != c.want {
			t.Errorf("%s: %s, want %s: %+v", story, verdict, c.want, got)
		}
	}
}
