package selftest

import (
	"testing"

	"github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/record"
)

// TestBucketRows: what is a token bucket's passes, also where a sender paused in some of the
// measurements; another rate or depth does not.
func TestBucketRows(t *testing.T) {
	truth := impair.Parameters{MBR: 90e6, Bucket: 200_000}
	right := record.RateLimit{MeasuredBPS: 90.05e6, BurstOctets: 201_000, ConvergeS: 0.0264}
	paused := record.RateLimit{MeasuredBPS: 89.95e6, BurstOctets: 90_000, ConvergeS: 0.2, DisturbedS: 0.1}
	unknown := record.RateLimit{MeasuredBPS: 90e6, BurstOctets: -1, ConvergeS: -1, DisturbedS: 0.4}
	lossy := record.RateLimit{MeasuredBPS: 70e6, BurstOctets: -1, ConvergeS: -1, DisturbedS: 1, Void: true}
	slow, shallow, clear := right, right, unknown
	slow.MeasuredBPS, shallow.BurstOctets, clear.DisturbedS = 89e6, 150_000, 0
	five := func(r ...record.RateLimit) (list []record.RateLimit) {
		for len(list) < policedTimes {
			list = append(list, r...)
		}
		return list[:policedTimes]
	}
	for story, c := range map[string]struct {
		list []record.RateLimit
		pass bool
	}{
		"right":                         {five(right), true},
		"paused at times":               {five(paused, right), true},
		"disturbed too much at times":   {five(lossy, lossy, right), true},
		"disturbed too much each time":  {five(lossy), false},
		"a rate 1 % low":                {five(slow), false},
		"too little depth":              {five(shallow), false},
		"disturbed all the time":        {five(unknown), true},
		"never seen on a quiet machine": {five(clear), false},
		"too few":                       {five(right)[:2], false},
	} {
		if got := Passed(bucketRows(truth, c.list)); got != c.pass {
			t.Errorf("%s: passed %v", story, got)
		}
	}
}
