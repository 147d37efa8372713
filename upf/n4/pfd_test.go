package n4

import (
	"errors"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath/plan"
)

// filters is how many the session's PDRs have, and how many rows come of it.
func (b *bench) filters() (given, rows int) {
	b.t.Helper()
	r := b.rules()
	for i := range r.PDRs {
		given += len(r.PDRs[i].PDI.Filters)
	}
	chains, err := plan.Of(r)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range chains {
		rows += len(chains[i].Rows)
	}
	return given, rows
}

// TestApplications: PDRs of an application have its filters, as they are now; without
// any, nothing matches.
func TestApplications(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "pfd-web", "establish-web")
	for _, c := range []struct {
		step string
		want int // of both PDRs
	}{{"", 6}, {"pfd-web-one", 2}, {"pfd-no-web", 0}, {"pfd-web", 6}, {"pfd-none", 0}} {
		if c.step != "" {
			b.now = b.now.Add(40e9) // no repetition
			b.play(c.step)
		}
		if given, rows := b.filters(); given != c.want || rows != c.want {
			t.Errorf("after %q: %d filters, %d rows, want %d", c.step, given, rows, c.want)
		}
	}
	b.play("modify-handover", "delete")
}

func TestApplicationsAreRefused(t *testing.T) {
	b := newBench(t, nil)
	b.play("pfd", "setup", "pfd-web", "establish-web", "pfd-url", "pfd-short", "pfd-no-flow", "pfd-no-contents", "establish-web-and-filter")
	if given, _ := b.filters(); given != 6 {
		t.Errorf("%d filters after PFDs that were refused, want 6", given)
	}
}

// TestApplicationsAreWhole: where a session cannot have the new filters, all keep the old.
func TestApplicationsAreWhole(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "pfd-web", "establish-web")
	b.dp.Fail(errors.New("busy"))
	answer := b.raw(b.pairs["pfd-web-one"].request)
	if got := answer[len(answer)-1]; got != ie.CauseRequestRejected {
		t.Errorf("cause %d, want %d", got, ie.CauseRequestRejected)
	}
	b.dp.Fail(nil)
	b.play("modify-handover")
	if given, rows := b.filters(); given != 6 || rows != 6 {
		t.Errorf("%d filters, %d rows, want the old 6", given, rows)
	}
}

// TestApplicationsEnd: with the association.
func TestApplicationsEnd(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "pfd-web", "release", "setup", "establish-web-unknown")
}

// TestSessionSets: the sessions of a set are deleted, others are not.
func TestSessionSets(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-in-set", "delete-no-set", "delete-other-set")
	if b.dp.Len() != 1 {
		t.Fatal("the session of another set is gone")
	}
	b.play("delete-set")
	if b.dp.Len() != 0 || b.HasTEID(1) || b.Counters().Associations != 1 {
		t.Errorf("%d sessions, counters %+v; want the association alone", b.dp.Len(), b.Counters())
	}
}
