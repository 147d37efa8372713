package usage

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/record"
)

func TestLasted(t *testing.T) {
	second := func(n int) n4.Usage { return n4.Usage{Duration: time.Duration(n) * time.Second, Timed: true} }
	for _, c := range []struct {
		what    string
		list    []n4.Usage
		verdict record.Verdict
	}{
		{"rounded down", []n4.Usage{second(2)}, ""},
		{"in two reports", []n4.Usage{second(2), second(1)}, ""},
		{"half of it", []n4.Usage{second(1)}, record.VerdictWrong},
		{"twice as much", []n4.Usage{second(5)}, record.VerdictWrong},
		{"none", []n4.Usage{{}}, record.VerdictNotEnforced},
		{"no report", nil, record.VerdictNotEnforced},
	} {
		err := lasted(c.list, 2600*time.Millisecond)
		if f, _ := err.(*fail.Failure); c.verdict == "" && err != nil || c.verdict != "" && (f == nil || f.Verdict != c.verdict) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
