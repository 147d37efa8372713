package behaviour

import (
	"context"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// A UPF that takes no F-TEIDs is asked to choose the UE's, one for all its PDRs; the case's rules stay as they
// are, also for a second session of the UE. One that belongs to another UE is left for the UPF to refuse.
func TestUPFThatChoosesFTEIDs(t *testing.T) {
	g := Sample()
	u, other := g.UE(0), g.UE(1)
	dialect := smf.SPGWUTiny()
	run := NewT(context.Background(), &Bench{writer: &smf.Writer{Dialect: dialect}}, g)
	s := Plain(u, g)
	third := s.PDRs[0]
	third.ID = 3
	s.PDRs = append(s.PDRs, third, rules.PDR{ID: 4, From: rules.Access, TEID: other.TEID})
	for _, chosen := range []uint32{0x77, 0x78} {
		got := run.LeaveFTEIDs(u, &s)
		for i, want := range []rules.PDR{{Choose: true, ChooseID: 1}, {}, {Choose: true, ChooseID: 1}, {TEID: other.TEID}} {
			if p := got.PDRs[i]; p.TEID != want.TEID || p.Choose != want.Choose || p.ChooseID != want.ChooseID {
				t.Errorf("PDR %d has TEID %#x, CHOOSE %v, CHOOSE ID %d", p.ID, p.TEID, p.Choose, p.ChooseID)
			}
		}
		if s.PDRs[0].Choose || s.PDRs[0].TEID == 0 {
			t.Error("the case's own rules are changed")
		}
		if err := run.TakeFTEID(u, got, &n4.Answer{Created: []smf.Created{{PDR: 1, TEID: chosen}}}); err != nil || u.TEID != chosen {
			t.Errorf("the UE sends into %#x: %v", u.TEID, err)
		}
	}
	dialect.Assign = smf.AssignSMF
	run.writer.Dialect = dialect
	if got := run.LeaveFTEIDs(u, &s); got != &s {
		t.Error("a UPF that takes F-TEIDs gets other rules")
	}
}
