package campaign

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// Stolen time is not the only disturbance: a flow that other programs disturbed gives way to
// one that they did not.
func TestCalmer(t *testing.T) {
	busy := record.AppFlow{LimitedBy: record.LimitHost, CPU: record.AppCPU{Others: 0.8}}
	stolen := record.AppFlow{LimitedBy: record.LimitHost, StealRatio: 0.05}
	quiet := record.AppFlow{LimitedBy: record.LimitDUT, StealRatio: 0.01}
	for _, c := range []struct {
		a, b record.AppFlow
		want bool
	}{{quiet, busy, true}, {busy, quiet, false}, {stolen, busy, true}, {busy, stolen, false}, {quiet, quiet, false}} {
		if got := calmer(&c.a, &c.b); got != c.want {
			t.Errorf("%+v calmer than %+v: %v", c.a, c.b, got)
		}
	}
}
