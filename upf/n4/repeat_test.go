package n4

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"
)

func causeOf(t testing.TB, answer []byte) uint8 {
	t.Helper()
	m, err := message.Parse(answer)
	if err != nil {
		t.Fatalf("answer %x: %v", answer, err)
	}
	var cause *ie.IE
	switch m := m.(type) {
	case *message.SessionEstablishmentResponse:
		cause = m.Cause
	case *message.SessionModificationResponse:
		cause = m.Cause
	case *message.SessionDeletionResponse:
		cause = m.Cause
	case *message.AssociationSetupResponse:
		cause = m.Cause
	case *message.AssociationUpdateResponse:
		cause = m.Cause
	case *message.AssociationReleaseResponse:
		cause = m.Cause
	}
	if cause == nil {
		t.Fatalf("answer %x has no cause", answer)
	}
	v, err := cause.Cause()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRepeatedRequestIsCarriedOutOnce(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-choose", "establish-choose", "establish-choose")
	if c := b.Counters(); c.Established != 1 || c.Repeated != 2 || c.Sessions != 1 {
		t.Errorf("counters %+v, want 1 established, 2 repeated", c)
	}
	b.play("delete", "delete", "establish-choose")
	if c := b.Counters(); c.Deleted != 1 || c.Repeated != 4 || c.Sessions != 0 {
		t.Errorf("counters %+v, want 1 deleted, 4 repeated, and no session from a late copy", c)
	}
}

// A test client that starts anew often uses the same sequence numbers, SEIDs and
// time stamp again: its second establishment must not get the first's answer,
// whose session is gone.
func TestSameOctetsAfterDeletionAreANewRequest(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given", "delete", "setup")
	answer := b.raw(b.pairs["establish-given"].request)
	m, err := message.ParseSessionEstablishmentResponse(answer)
	if err != nil {
		t.Fatal(err)
	}
	seid, err := m.UPFSEID.FSEID()
	if err != nil || seid.SEID != firstSEID+1 {
		t.Errorf("UP F-SEID %v, %v, want a new session %#x", seid, err, firstSEID+1)
	}
	if b.dp.Len() != 1 {
		t.Errorf("%d sessions, want 1", b.dp.Len())
	}
}

func TestReassociationDeletesSessions(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	again := slices.Clone(b.pairs["setup"].request)
	again[6]++ // another sequence number
	if got := causeOf(t, b.raw(again)); got != ie.CauseRequestAccepted {
		t.Fatalf("cause %d", got)
	}
	if b.dp.Len() != 0 || b.HasTEID(1) || b.Counters().Associations != 1 {
		t.Errorf("after a new association: %d sessions, TEID known %v", b.dp.Len(), b.HasTEID(1))
	}
	// Nor is a deletion of the old session answered from memory.
	if got := causeOf(t, b.raw(b.pairs["delete"].request)); got != ie.CauseSessionContextNotFound {
		t.Errorf("cause %d, want %d", got, ie.CauseSessionContextNotFound)
	}
}

func TestSessionsNeedAnAssociation(t *testing.T) {
	b := newBench(t, nil)
	if got := causeOf(t, b.raw(b.pairs["establish-given"].request)); got != ie.CauseNoEstablishedPFCPAssociation {
		t.Errorf("cause %d, want %d", got, ie.CauseNoEstablishedPFCPAssociation)
	}
	// A refusal is not remembered.
	b.play("setup", "establish-given", "release")
	if b.dp.Len() != 0 {
		t.Error("the release left the session")
	}
	b.play("release") // repeated
}

func TestRestartedPeer(t *testing.T) {
	for _, c := range []struct {
		story    string
		stamp    uint32
		sessions int
	}{
		{"the stamp of the setup", recovery, 1},
		{"an older stamp, from before", recovery - 5, 1},
		{"a newer one", recovery + 1, 0},
	} {
		b := newBench(t, nil)
		b.play("setup", "establish-given")
		b.raw(heartbeatAt(c.stamp))
		if b.dp.Len() != c.sessions {
			t.Errorf("%s: %d sessions left, want %d", c.story, b.dp.Len(), c.sessions)
		}
	}
}

// heartbeatAt is a Heartbeat Request with the Recovery Time Stamp.
func heartbeatAt(stamp uint32) []byte {
	return []byte{0x20, 1, 0, 12, 0, 0, 1, 0, 0, 96, 0, 4, byte(stamp >> 24), byte(stamp >> 16), byte(stamp >> 8), byte(stamp)}
}

// Two CP functions behind one address are distinguished by their ports.
func TestNeighbourRestarts(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	b.peer = netip.AddrPortFrom(b.peer.Addr(), 9999)
	neighbour := slices.Clone(b.pairs["setup"].request)
	neighbour[15]++ // the last octet of its Node ID
	b.raw(neighbour)
	b.raw(heartbeatAt(recovery + 1))
	if got := b.Counters(); got.Associations != 2 || got.Sessions != 1 {
		t.Errorf("counters %+v, want two associations and the session of the one that lives", got)
	}
}
