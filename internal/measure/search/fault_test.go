package search

import (
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

func TestFaults(t *testing.T) {
	fine := Outcome{Sent: 1000, Seconds: 1, Valid: true}
	with := func(change func(*Outcome)) Outcome { o := fine; change(&o); return o }
	for _, c := range []struct {
		name  string
		o     Outcome
		want  string
		bench bool // the bench is to blame
	}{
		{"as it should be", fine, "", false},
		{"a slot short", with(func(o *Outcome) { o.Sent = 999; o.Seconds = 0.999 }), "", false},
		{"zero packets", with(func(o *Outcome) { o.Sent = 0 }), "nothing was sent", false},
		{"more lost than sent", with(func(o *Outcome) { o.Lost = 1001 }),
			"1001 packets lost of 1000 sent: the counters are not to be believed", false},
		{"cut", with(func(o *Outcome) { o.Sent = 500; o.Seconds = 0.5 }), "it lasted 0.5 s", false},
		{"no clock", with(func(o *Outcome) { o.Seconds = math.NaN() }), "it lasted NaN s", false},
		{"a clock that stepped back", with(func(o *Outcome) { o.Seconds = -3 }), "it lasted -3 s", false},
		{"generator too slow", with(func(o *Outcome) { o.Sent = 900 }), "900 packets were sent in 1 s, and 1000 were due", true},
		{"generator stretched the trial", with(func(o *Outcome) { o.Seconds = 1.2 }), "1000 packets were sent in 1.2 s, and 1200 were due", true},
		{"3 % of it does not count", with(func(o *Outcome) { o.Sent, o.Intended, o.Seconds, o.Excluded = 970, 970, 0.97, 0.4 }), "", false},
		{"most of it does not count", with(func(o *Outcome) { o.Sent, o.Intended, o.Seconds, o.Excluded = 150, 150, 0.15, 2.85 }), "", false},
		{"its windows are fuller than the load on average",
			with(func(o *Outcome) { o.Sent, o.Intended, o.Seconds, o.Excluded = 980, 981, 0.9, 0.2 }), "", false},
		{"too slow in what counts",
			with(func(o *Outcome) { o.Sent, o.Intended, o.Seconds, o.Excluded = 850, 970, 0.97, 0.4 }),
			"850 packets were sent in 0.97 s, and 970 were due", true},
		{"cut, though a part does not count",
			with(func(o *Outcome) { o.Sent, o.Intended, o.Seconds, o.Excluded = 400, 400, 0.4, 0.2 }),
			"it lasted 0.6 s", false},
		{"judged invalid, no reason", with(func(o *Outcome) { o.Valid = false }), "it was judged invalid", false},
		{"judged invalid", with(func(o *Outcome) { o.Valid = false; o.Reasons = []string{"a", "b"} }), "a; b", false},
		{"sink lost packets", with(func(o *Outcome) {
			o.Valid, o.Reasons, o.LimitedBy = false, []string{"sink"}, record.LimitGenerator
		}), "sink", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := want{pps: 1000, duration: time.Second}
			if got := w.fault(c.o); got != c.want {
				t.Errorf("fault %q, want %q", got, c.want)
			}
			if got := w.benchFailed(c.o); got != c.bench {
				t.Errorf("the bench failed: %v, want %v", got, c.bench)
			}
		})
	}
}
