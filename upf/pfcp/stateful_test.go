package pfcp

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"
)

// A campaign is a long run with its figures printed:
//
//	go test ./upf/pfcp -run TestStateful -v -campaign 10000000 -timeout 24h
var (
	campaignMessages = flag.Int("campaign", 20_000, "how many messages the stateful test sends")
	campaignSeed     = flag.Uint64("campaign-seed", 1, "what they are drawn from")
)

// fuzzer is some CP functions, good and bad, that talk to one server.
type fuzzer struct {
	*bench
	random *rand.Rand
	sent   [][]byte // of late, to be repeated
	seids  []uint64 // that the server gave
	number uint32
	owner  netip.AddrPort // who would send the message last made
}

func newFuzzer(t testing.TB, seed uint64) *fuzzer {
	b := newBench(t, func(c *Config) {
		c.MaxSessions, c.Buffering = 40, BufferDrop
		c.Limits = Limits{Rules: 8, Associations: 2, Sessions: 30}
	})
	return &fuzzer{bench: b, random: rand.New(rand.NewPCG(seed, 0))}
}

func (f *fuzzer) some(n int) uint32 { return 1 + f.random.Uint32N(uint32(n)) }

// next is the octets of one message: new, an old one again, or a damaged one.
func (f *fuzzer) next() []byte {
	if len(f.sent) > 0 && f.random.IntN(8) == 0 {
		return f.sent[len(f.sent)-1-f.random.IntN(min(4, len(f.sent)))]
	}
	f.number++
	m := f.message()
	m.SetSequenceNumber(f.number & 0xffffff)
	b := make([]byte, m.MarshalLen())
	if err := m.MarshalTo(b); err != nil {
		f.t.Fatal(err)
	}
	if f.random.IntN(10) == 0 {
		b[f.random.IntN(len(b))] = byte(f.random.Uint32())
	}
	if f.sent = append(f.sent, b); len(f.sent) > 32 {
		f.sent = f.sent[1:]
	}
	return b
}

// node is a Node ID, and its owner the one that sends the message.
func (f *fuzzer) node() *ie.IE {
	n := f.some(6)
	f.owner = peerOf(n)
	return ie.NewNodeID("", "", fmt.Sprintf("smf-%d", n))
}

func peerOf(n uint32) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, byte(1 + n%4)}), 8805)
}

func (f *fuzzer) seid() uint64 {
	if len(f.seids) == 0 || f.random.IntN(20) == 0 {
		return uint64(f.some(1000))
	}
	if f.random.IntN(8) != 0 {
		f.forgetDeleted()
	}
	seid := f.seids[f.random.IntN(len(f.seids))]
	if one := f.sessions[seid]; one != nil {
		f.owner = one.association.peer
	}
	return seid
}

func (f *fuzzer) forgetDeleted() {
	alive := slices.DeleteFunc(slices.Clone(f.seids), func(seid uint64) bool { return f.sessions[seid] == nil })
	if len(alive) > 0 {
		f.seids = alive
	}
}

func (f *fuzzer) message() message.Message {
	switch n := f.random.IntN(100); {
	case n < 6:
		return message.NewAssociationSetupRequest(0, f.node(), ie.NewRecoveryTimeStamp(time.Unix(int64(f.some(3)), 0)))
	case n < 8:
		return message.NewAssociationReleaseRequest(0, f.node())
	case n < 11:
		return message.NewHeartbeatRequest(0, ie.NewRecoveryTimeStamp(time.Unix(int64(f.some(4)), 0)), nil)
	case n < 45:
		return message.NewSessionEstablishmentRequest(0, 0, 0, 0, 0,
			append([]*ie.IE{f.node(), ie.NewFSEID(uint64(f.number), []byte{127, 0, 0, byte(f.some(4))}, nil)}, f.rules(true)...)...)
	case n < 90:
		return message.NewSessionModificationRequest(0, 0, f.seid(), 0, 0, f.rules(false)...)
	}
	return message.NewSessionDeletionRequest(0, 0, f.seid(), 0, 0)
}

// rules are rule IEs in any order, some of them more than once. Those that make a
// whole session come first when one is to be made.
func (f *fuzzer) rules(whole bool) (all []*ie.IE) {
	if whole {
		all = append(all, f.pdr(ie.NewCreatePDR, 1), f.far(1), ie.NewCreateQER(ie.NewQERID(1), ie.NewGateStatus(0, 0)))
	}
	for range f.random.IntN(5) {
		id := f.some(5)
		all = append(all, []func() *ie.IE{
			func() *ie.IE { return f.pdr(ie.NewCreatePDR, id) },
			func() *ie.IE { return f.pdr(ie.NewUpdatePDR, id) },
			func() *ie.IE { return f.pdr(ie.NewUpdatePDR, 1) },
			func() *ie.IE { return ie.NewRemovePDR(ie.NewPDRID(uint16(id))) },
			func() *ie.IE { return f.far(id) },
			func() *ie.IE { return ie.NewRemoveFAR(ie.NewFARID(id)) },
			func() *ie.IE { return ie.NewCreateQER(ie.NewQERID(id), ie.NewGateStatus(0, 0)) },
			func() *ie.IE { return ie.NewRemoveQER(ie.NewQERID(id)) },
		}[f.random.IntN(8)]())
	}
	if f.random.IntN(2) == 0 {
		f.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}

func (f *fuzzer) pdr(kind func(...*ie.IE) *ie.IE, id uint32) *ie.IE {
	fteid := ie.NewFTEID(0x01, f.some(60), []byte{198, 18, 0, 1}, nil, 0)
	switch f.random.IntN(4) {
	case 0:
		fteid = ie.NewFTEID(0x05, 0, nil, nil, 0)
	case 1:
		fteid = ie.NewFTEID(0x0d, 0, nil, nil, uint8(f.some(2)))
	}
	pdi := ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceAccess), fteid)
	if f.random.IntN(4) == 0 {
		pdi = ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceCore), ie.NewUEIPAddress(2, fmt.Sprintf("10.45.0.%d", f.some(60)), "", 0, 0))
		return kind(ie.NewPDRID(uint16(id)), ie.NewPrecedence(1), pdi, ie.NewFARID(2))
	}
	return kind(ie.NewPDRID(uint16(id)), ie.NewPrecedence(1), pdi, ie.NewOuterHeaderRemoval(0, 0), ie.NewFARID(1))
}

func (f *fuzzer) far(id uint32) *ie.IE {
	if id == 2 {
		return ie.NewCreateFAR(ie.NewFARID(id), ie.NewApplyAction(uint8(f.some(4))), ie.NewForwardingParameters(
			ie.NewDestinationInterface(ie.DstInterfaceAccess), ie.NewOuterHeaderCreation(0x0100, 2, "192.0.2.1", "", 0, 0, 0)))
	}
	return ie.NewCreateFAR(ie.NewFARID(id), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceCore)))
}

// step sends a message from one of the peers, some time later.
func (f *fuzzer) step() {
	f.now = f.now.Add(time.Duration(f.random.IntN(100)) * time.Millisecond)
	if f.random.IntN(500) == 0 {
		f.now = f.now.Add(time.Duration(f.random.IntN(120)-60) * time.Second) // the clock jumps
	}
	octets := f.next()
	if f.peer = f.owner; f.random.IntN(10) == 0 {
		f.peer = peerOf(f.some(4))
	}
	answer := f.raw(octets)
	f.dueBeats(f.now)
	f.catchUp()
	f.check(answer)
}

// check holds the invariants.
func (f *fuzzer) check(answer []byte) {
	if len(answer) > 2048 {
		f.t.Fatalf("the answer has %d octets", len(answer))
	}
	if answer != nil {
		m, err := message.Parse(answer)
		if err != nil {
			f.t.Fatalf("answer %x: %v", answer, err)
		}
		f.learn(m)
	}
	if f.dp.Len() != len(f.sessions) || len(f.sessions) > 40 || len(f.nodes) > 8 {
		f.t.Fatalf("%d sessions in the datapath, %d in the server, %d nodes", f.dp.Len(), len(f.sessions), len(f.nodes))
	}
	f.checkTEIDs()
}

func (f *fuzzer) learn(m message.Message) {
	if r, ok := m.(*message.SessionEstablishmentResponse); ok && r.UPFSEID != nil {
		if seid, err := r.UPFSEID.FSEID(); err == nil {
			f.seids = append(f.seids, seid.SEID)
			f.seids = f.seids[max(0, len(f.seids)-30):]
		}
	}
}

// checkTEIDs: the TEIDs that are taken are those of the PDRs, and the rules of
// server and datapath are the same.
func (f *fuzzer) checkTEIDs() {
	inRules := map[uint32]uint64{}
	for seid, one := range f.sessions {
		if f.dp.Session(seid) != one.rules {
			f.t.Fatalf("session %#x has other rules in the datapath", seid)
		}
		for _, teid := range teidsOf(one.rules) {
			inRules[teid] = seid
		}
	}
	if len(inRules) != len(f.teids.owner) {
		f.t.Fatalf("%d TEIDs are taken, the PDRs have %d", len(f.teids.owner), len(inRules))
	}
	for teid, seid := range inRules {
		if f.teids.owner[teid] != seid {
			f.t.Fatalf("TEID %#x of session %#x belongs to %#x", teid, seid, f.teids.owner[teid])
		}
	}
}

// TestStateful sends messages by a grammar: repeated IEs, any order, copies, four
// addresses that claim six Node IDs, clock jumps. In the end all associations are
// released, and nothing is left.
func TestStateful(t *testing.T) {
	f, start := newFuzzer(t, *campaignSeed), time.Now()
	for range *campaignMessages {
		f.step()
	}
	c := f.Counters()
	for node, a := range f.nodes {
		f.peer = a.peer
		f.number++
		f.say(message.NewAssociationReleaseRequest(f.number&0xffffff, ie.NewNodeID("", "", node)))
	}
	if f.dp.Len()+len(f.sessions)+len(f.nodes)+len(f.teids.owner)+len(f.sources) != 0 {
		t.Errorf("left: %d rules, %d sessions, %d nodes, %d TEIDs, %d sources",
			f.dp.Len(), len(f.sessions), len(f.nodes), len(f.teids.owner), len(f.sources))
	}
	t.Logf("%d messages in %v, seed %d: %d established, %d modified, %d deleted, %d repeated, %d from no owner, rejected %v",
		*campaignMessages, time.Since(start).Round(time.Second), *campaignSeed, c.Established, c.Modified, c.Deleted, c.Repeated, c.NotOwner, c.Rejected)
	if *campaignMessages >= 20_000 && slices.Contains([]uint64{c.Established, c.Modified, c.Deleted, c.Repeated, c.NotOwner}, 0) {
		t.Error("the grammar does not reach everything")
	}
}
