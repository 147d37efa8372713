package seeded

import (
	"context"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/upf/session"
)

// later is a UPF that forwards no downlink of an establishment, only that of a modification, and whose dialect knows it.
type later struct{ *UPF }

// Dialect implements behaviour.Lab.
func (later) Dialect() smf.Dialect {
	d := smf.Standard()
	d.DownlinkByModification = true
	return d
}

// deaf ignores the downlink PDRs of an establishment.
var deaf = Fault{Rules: func(old, r *session.Rules) {
	if old == nil {
		r.PDRs = slices.DeleteFunc(r.PDRs, func(p session.PDR) bool { return p.PDI.Source == session.Core })
	}
}}

// TestServe: the session that is watched during attacks is forwarded by such a UPF, and cases send their own rules.
func TestServe(t *testing.T) {
	t.Parallel()
	b := bench(t, later{start(t, deaf)})
	for name, c := range map[string]struct {
		establish func(*behaviour.UE, *behaviour.Fixture) behaviour.Step
		want      record.Verdict
	}{
		"Serve": {behaviour.Serve, record.VerdictEnforced},
		"Establish": {func(u *behaviour.UE, g *behaviour.Fixture) behaviour.Step {
			return behaviour.Establish(u, behaviour.Plain(u, g))
		}, record.VerdictNotEnforced},
	} {
		row, err := b.Run(context.Background(), &behaviour.Case{ID: "served", Title: name, Steps: func(g *behaviour.Fixture) []behaviour.Step {
			u := g.UE(0)
			return []behaviour.Step{c.establish(u, g), behaviour.Send(behaviour.Up(u, ""), behaviour.Down(u, ""))}
		}}, "")
		if err != nil || row.Verdict != c.want {
			t.Errorf("%s: %s, want %s: %s: %s, %v", name, row.Verdict, c.want, row.Expected, row.Observed, err)
		}
	}
}
