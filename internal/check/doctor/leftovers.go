package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/machine/host"
)

// running names the runs that were under way when the examination began.
func (e *exam) running() []string {
	var names []string
	for _, r := range e.records {
		if r.Live {
			names = append(names, fmt.Sprintf("%s (process %d)", r.Run, r.PID))
		}
	}
	return names
}

func runs(_ context.Context, e *exam) Finding {
	f := Finding{Name: "runs under way", State: OK, Detail: "none"}
	if live := e.running(); len(live) > 0 {
		f.State, f.Detail = Warn, strings.Join(live, ", ")
		f.Fix = "let it end before the next begins: two runs at once do not collide, but their numbers suffer"
	}
	return f
}

func leftovers(_ context.Context, e *exam) Finding {
	if e.unread != nil {
		return failed("of killed runs", e.unread, "sudo upflab clean")
	}
	return judgeLeftovers(e.records)
}

func judgeLeftovers(records []host.Record) Finding {
	f := Finding{Name: "of killed runs", State: OK, Detail: "none"}
	var left []string
	for _, r := range records {
		if !r.Live {
			left = append(left, r.Owns...)
		}
	}
	if n := len(left); n > 0 {
		f.State, f.Detail = Warn, strings.Join(left[:min(n, 4)], ", ")
		f.Fix = "sudo upflab clean (the next run does it as well)"
		if n > 4 {
			f.Detail += fmt.Sprintf(" and %d more", n-4)
		}
	}
	return f
}
