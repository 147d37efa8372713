package n4

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/keys"
	"github.com/upflab/upflab/upf/n4/request"
)

func TestModificationIsWholeOrNot(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	before := b.rules().Clone()
	b.play("modify-half")
	if got := b.rules(); !reflect.DeepEqual(got, before) {
		t.Errorf("a refused modification changed the rules:\n got %+v\nwant %+v", got, before)
	}
}

func TestRefusedByDatapath(t *testing.T) {
	for _, c := range []struct {
		err   error
		cause uint8
	}{
		{fmt.Errorf("add: %w", datapath.ErrFull), ie.CauseNoResourcesAvailable},
		{errors.New("map update: EPERM"), ie.CauseSystemFailure},
	} {
		b := newBench(t, nil)
		b.play("setup")
		b.dp.Fail(c.err)
		answer := b.raw(b.pairs["establish-choose"].request)
		if got := causeOf(t, answer); got != c.cause {
			t.Errorf("%v: cause %d, want %d", c.err, got, c.cause)
		}
		if b.HasTEID(firstTEID) || b.Counters().Sessions != 0 {
			t.Errorf("%v: a refused session left its TEID or itself", c.err)
		}
		b.dp.Fail(nil)
		if got := causeOf(t, b.raw(b.pairs["establish-choose"].request)); got != ie.CauseRequestAccepted {
			t.Errorf("the same request after the fault: cause %d, want accepted", got)
		}
	}
}

func TestRefusedDeletionKeepsTheSession(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	b.dp.Fail(errors.New("busy"))
	if got := causeOf(t, b.raw(b.pairs["delete"].request)); got != ie.CauseSystemFailure {
		t.Errorf("cause %d, want %d", got, ie.CauseSystemFailure)
	}
	b.dp.Fail(nil)
	b.play("delete")
}

// TestChooseIDIsShared has two PDRs with one TEID, which their QFIs distinguish.
func TestChooseIDIsShared(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup")
	_, f := mustDecode(t, b.pairs["establish-choose-shared"].request)
	tn := &change.Claims{TEIDs: b.sessions.TEIDs, SEID: 1, N3: b.cfg.N3, Lease: change.Lease{Addresses: keys.NewAddresses(nil)}}
	r := newRules()
	if err := change.Apply(f.(request.Establishment).Changes, r, tn); err != nil {
		t.Fatal(err)
	}
	if a, c := r.FindPDR(1).PDI.TEID, r.FindPDR(3).PDI.TEID; a != c || a != firstTEID {
		t.Errorf("TEIDs %#x and %#x, want both %#x", a, c, firstTEID)
	}
	if n := len(tn.Allocated()); n != 2 {
		t.Errorf("%d Created PDRs, want 2", n)
	}
	tn.Rollback()
	if b.HasTEID(firstTEID) {
		t.Error("rollback left the TEID")
	}
	tn.TEIDs.Random = func() uint32 { return firstTEID }
	b.play("establish-choose-shared")
}

func TestChosenTEIDsAvoidGivenOnes(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given") // TEID 1
	drawn := uint32(0xffffffff)
	b.sessions.TEIDs.Random = func() uint32 { drawn++; return drawn }
	if got := b.sessions.TEIDs.Choose(7); got != 2 {
		t.Errorf("of 0, 1 and 2 it took %#x, want 2: 0 is never used, 1 was given", got)
	}
}
