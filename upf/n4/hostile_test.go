package n4

import (
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/keys"
)

// say marshals a message and gives it to the server as the bench's peer.
func (b *bench) say(m message.Message) []byte {
	b.t.Helper()
	octets := make([]byte, m.MarshalLen())
	if err := m.MarshalTo(octets); err != nil {
		b.t.Fatal(err)
	}
	return b.raw(octets)
}

// as has f talk to the server from another address.
func (b *bench) as(peer string, f func()) {
	home := b.peer
	b.peer = netip.MustParseAddrPort(peer)
	f()
	b.peer = home
}

func (b *bench) wantCause(story string, answer []byte, want uint8) {
	b.t.Helper()
	if got := causeOf(b.t, answer); got != want {
		b.t.Errorf("%s: cause %d, want %d", story, got, want)
	}
}

const stranger = "10.45.0.2:8805"

// TestStrangersHaveNoSay has the messages of an association and its session come
// from another address.
func TestStrangersHaveNoSay(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	b.as(stranger, func() {
		b.wantCause("release", b.raw(b.pairs["release"].request), ie.CauseNoEstablishedPFCPAssociation)
		b.wantCause("establish", b.raw(b.pairs["establish-choose"].request), ie.CauseNoEstablishedPFCPAssociation)
		b.wantCause("modify", b.raw(b.pairs["modify-drop"].request), ie.CauseSessionContextNotFound)
		b.wantCause("delete", b.raw(b.pairs["delete"].request), ie.CauseSessionContextNotFound)
		b.wantCause("set-up", b.raw(b.pairs["setup"].request), ie.CauseRequestRejected)
		b.raw(heartbeatAt(recovery + 1))
	})
	if c := b.Counters(); c.Sessions != 1 || c.Associations != 1 || c.NotOwner != 5 {
		t.Errorf("counters %+v, want the session, the association, and 5 messages from no owner", c)
	}
	b.play("modify-drop", "delete", "release")
}

// TestMovedSMF has a CP function come back with another address: it waits until
// the old one has not answered.
func TestMovedSMF(t *testing.T) {
	b := newBench(t, nil) // sends no heartbeats by itself
	b.play("setup", "establish-given")
	moved := func() []byte {
		var answer []byte
		b.as("127.0.0.9:8805", func() { answer = b.raw(b.pairs["setup"].request) })
		return answer
	}
	b.wantCause("while the old address may live", moved(), ie.CauseRequestRejected)
	for range 20 {
		b.now = b.now.Add(500 * time.Millisecond)
		b.nodes.DueBeats(b.now)
		b.catchUp()
	}
	b.wantCause("after it was silent", moved(), ie.CauseRequestAccepted)
	if b.dp.Len() != 0 || b.HasTEID(1) {
		t.Error("the session of the old address is left")
	}
}

// TestChallengedSMFLives has it answer: it keeps its association.
func TestChallengedSMFLives(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	b.as(stranger, func() { b.raw(b.pairs["setup"].request) })
	beats := 0
	for range 20 {
		b.now = b.now.Add(500 * time.Millisecond)
		for _, one := range b.nodes.DueBeats(b.now) {
			beats++
			b.raw(heartbeatResponse(t, one.Message))
		}
	}
	if c := b.Counters(); beats != 1 || c.Sessions != 1 {
		t.Errorf("%d heartbeats, %d sessions: want one of each", beats, c.Sessions)
	}
}

func TestConfiguredSMFs(t *testing.T) {
	b := newBench(t, func(c *Config) { c.SMFs = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/29")} })
	b.as("127.0.0.8:8805", func() {
		b.wantCause("from outside", b.raw(b.pairs["setup"].request), ie.CauseRequestRejected)
	})
	b.play("setup", "establish-given")
}

// setupAs is the set-up of an invented node.
func setupAs(n int) *message.AssociationSetupRequest {
	return message.NewAssociationSetupRequest(uint32(n), ie.NewNodeID("", "", fmt.Sprintf("smf-%d.example.org", n)),
		ie.NewRecoveryTimeStamp(time.Unix(1_800_000_000, 0)))
}

// TestInventedNodes has one source, then many, invent Node IDs: the SMF with
// sessions stays, and a new one still finds room.
func TestInventedNodes(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	n := 0
	flood := func(peer string, count int) {
		b.as(peer, func() {
			for range count {
				n++
				b.now = b.now.Add(time.Millisecond)
				b.say(setupAs(n))
			}
		})
	}
	flood(stranger, 2000)
	if got := b.Counters().Associations; got != 1+16 {
		t.Errorf("%d associations after one source's flood, want 17", got)
	}
	for i := range 100 {
		flood(fmt.Sprintf("10.45.1.%d:8805", i), 20)
	}
	if got := b.Counters().Associations; got != association.MaxAssociations {
		t.Errorf("%d associations after many sources' flood, want %d", got, association.MaxAssociations)
	}
	b.as("127.0.0.10:8805", func() {
		n++
		b.wantCause("a new SMF", b.say(setupAs(n)), ie.CauseRequestAccepted)
	})
	b.play("modify-drop", "delete", "release")
	if len(b.associations.Sources) > association.MaxAssociations {
		t.Errorf("%d addresses are remembered", len(b.associations.Sources))
	}
}

func TestSessionsOfOneSource(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Limits.Sessions = 1 })
	b.play("setup", "establish-given")
	b.wantCause("the second", b.raw(b.pairs["establish-choose"].request), ie.CauseNoResourcesAvailable)
	b.play("delete")
	b.wantCause("after the first is deleted", b.raw(b.pairs["establish-choose"].request), ie.CauseRequestAccepted)
}

// TestFiltersOfOneSource: the sessions of one address have no more filters together than the limit, and
// those that go make room.
func TestFiltersOfOneSource(t *testing.T) {
	const most = 10
	b := newBench(t, func(c *Config) { c.Limits.Filters = most })
	b.play("setup", "establish-given")
	charged := func() int { return b.associations.Sources.Of(b.peer.Addr()).Filters }
	seq := uint32(1000)
	say := func(seid uint64, ies ...*ie.IE) uint8 {
		m := modificationOf(seid, ies...)
		seq++
		m.SetSequenceNumber(seq)
		return causeOf(t, b.say(m))
	}
	filtered := func(id uint16, filters int) *ie.IE {
		pdi := []*ie.IE{ie.NewSourceInterface(ie.SrcInterfaceCore), ie.NewUEIPAddress(6, "10.45.0.2", "", 0, 0)}
		for i := range filters {
			pdi = append(pdi, ie.NewSDFFilter(fmt.Sprintf("permit out 17 from 203.0.113.%d 80,443 to assigned", i), "", "", "", uint32(id)*100+uint32(i)))
		}
		return ie.NewCreatePDR(ie.NewPDRID(id), ie.NewPrecedence(uint32(id)), ie.NewFARID(2), ie.NewPDI(pdi...))
	}
	if cause := say(firstSEID, filtered(10, 5)); cause != ie.CauseRequestAccepted {
		t.Fatalf("five filters: cause %d", cause)
	}
	first := charged()
	if first < 2*5-change.OrdinaryEntries || first > most {
		t.Errorf("five filters of two ports each are charged as %d", first)
	}
	if cause := say(firstSEID, filtered(11, 5)); cause != ie.CauseNoResourcesAvailable || charged() != first {
		t.Errorf("ten filters: cause %d, charged %d", cause, charged())
	}
	b.wantCause("another session without", b.raw(establishment2(t, b)), ie.CauseRequestAccepted)
	if cause := say(firstSEID+1, filtered(10, 5)); cause != ie.CauseNoResourcesAvailable || charged() != first {
		t.Errorf("filters of another session: cause %d, charged %d", cause, charged())
	}
	if cause := say(firstSEID, ie.NewRemovePDR(ie.NewPDRID(10))); cause != ie.CauseRequestAccepted || charged() != 0 {
		t.Errorf("without filters: cause %d, charged %d", cause, charged())
	}
	if cause := say(firstSEID, filtered(10, 5)); cause != ie.CauseRequestAccepted || charged() != first {
		t.Errorf("with filters again: cause %d, charged %d", cause, charged())
	}
	b.wantCause("the deletion", b.say(message.NewSessionDeletionRequest(0, 0, firstSEID, 900, 0)), ie.CauseRequestAccepted)
	if charged() != 0 {
		t.Errorf("%d filters are charged for a session that is gone", charged())
	}
}

// TestTEIDsDoNotLeak has one request place a PDR again and again: only the last of
// its TEIDs is kept.
func TestTEIDsDoNotLeak(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	b.wantCause("the modification", b.say(modificationOf(firstSEID, replacements(1000, 290)...)), ie.CauseRequestAccepted)
	if got := len(b.sessions.TEIDs.Owner); got != 1 || !b.HasTEID(1289) {
		t.Errorf("%d TEIDs are taken, want the last alone", got)
	}
	deletion := message.NewSessionDeletionRequest(0, 0, firstSEID, 900, 0)
	b.wantCause("the deletion", b.say(deletion), ie.CauseRequestAccepted)
	if len(b.sessions.TEIDs.Owner) != 0 {
		t.Errorf("%d TEIDs are left of a session that is gone", len(b.sessions.TEIDs.Owner))
	}
}

func modificationOf(seid uint64, ies ...*ie.IE) *message.SessionModificationRequest {
	return message.NewSessionModificationRequest(0, 0, seid, 800, 0, ies...)
}

// replacements are Update PDRs of PDR 1 with TEIDs from first on.
func replacements(first, n int) (ies []*ie.IE) {
	for i := range n {
		ies = append(ies, ie.NewUpdatePDR(ie.NewPDRID(1), ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceAccess),
			ie.NewFTEID(0x01, uint32(first+i), []byte{198, 18, 0, 1}, nil, 0), ie.NewUEIPAddress(2, "10.45.0.2", "", 0, 0))))
	}
	return ies
}

// TestChosenTEIDsAreNoSequence: a TEID says nothing about the next.
func TestChosenTEIDsAreNoSequence(t *testing.T) {
	teids, near := keys.NewTEIDs(), 0
	last := teids.Choose(1)
	for range 1000 {
		next := teids.Choose(1)
		if next-last < 1<<16 || last-next < 1<<16 {
			near++
		}
		last = next
	}
	if near > 10 {
		t.Errorf("%d of 1000 TEIDs are near the one before", near)
	}
}

// TestRulesOfASession: one session cannot have more rules than the limit, however
// many datagrams bring them.
func TestRulesOfASession(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	last := uint8(ie.CauseRequestAccepted)
	for d := range 30 {
		var many []*ie.IE
		for i := range 100 {
			many = append(many, ie.NewCreateQER(ie.NewQERID(uint32(100+d*100+i)), ie.NewGateStatus(0, 0)))
		}
		m := modificationOf(firstSEID, many...)
		m.SetSequenceNumber(uint32(1000 + d))
		last = causeOf(t, b.say(m))
	}
	if n := len(b.rules().QERs); n > 256 || last != ie.CauseNoResourcesAvailable {
		t.Errorf("%d QERs, cause %d", n, last)
	}
}

// TestOneDatagramIsCheap gives the server the worst that fits into datagrams.
func TestOneDatagramIsCheap(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for story, make := range map[string]func(*bench) message.Message{
		"QERs over the limit": func(*bench) message.Message {
			var many []*ie.IE
			for i := range 680 {
				many = append(many, ie.NewCreateQER(ie.NewQERID(uint32(100+i)), ie.NewGateStatus(0, 0)))
			}
			return modificationOf(firstSEID, many...)
		},
		"updates of one PDR": func(*bench) message.Message { return modificationOf(firstSEID, replacements(1000, 290)...) },
		"removals of what is not there": func(*bench) message.Message {
			var many []*ie.IE
			for i := range 1020 {
				many = append(many, ie.NewRemoveQER(ie.NewQERID(uint32(9000+i))))
			}
			return modificationOf(firstSEID, many...)
		},
	} {
		b := newBench(t, nil)
		b.play("setup", "establish-given")
		m := make(b)
		best := time.Hour
		for i := range 20 { // the machine is not alone: the quickest counts
			m.SetSequenceNumber(uint32(2000 + i))
			octets := slices.Grow([]byte(nil), m.MarshalLen())[:m.MarshalLen()]
			if err := m.MarshalTo(octets); err != nil {
				t.Fatal(err)
			}
			start := threadTime()
			b.raw(octets)
			best = min(best, threadTime()-start)
		}
		t.Logf("%s: %v", story, best)
		if best > time.Millisecond && !raceDetector {
			t.Errorf("%s takes %v of a CPU, want 1 ms at most", story, best)
		}
	}
}
