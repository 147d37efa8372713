package n4

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/n4/ask"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/session"
)

// world is a server among several CP functions, a clock and a datapath that may
// refuse. What happens in it is decided by choices.
type world struct {
	bench
	t     testing.TB
	c     choices
	g     grammar
	seq   uint32
	seids []uint64 // of sessions that were established, gone ones too
	sent  [][]byte // datagrams, to be sent again
	beats []ask.Datagram
	raw   map[string][]byte // Node ID IEs of associations
	costs *costs
	// datagrams is how many were sent in this world.
	datagrams int
	// among: other worlds use the same server at the same time, so nothing is
	// checked before all have ended.
	among bool
}

// peers are the CP functions; two share an address.
var peers = [...]netip.AddrPort{
	netip.MustParseAddrPort("127.0.0.1:8805"), netip.MustParseAddrPort("127.0.0.2:8805"),
	netip.MustParseAddrPort("127.0.0.2:9999"), netip.MustParseAddrPort("127.0.0.3:8805"),
}

func newWorld(t testing.TB, program []byte, costs *costs) *world {
	dp := memory.New(12)
	w := around(t, bench{Server: newServer(t, dp), dp: dp, now: time.Unix(1_800_000_000, 0)}, program, costs)
	w.predictable()
	return w
}

// around makes a world of a server.
func around(t testing.TB, b bench, program []byte, costs *costs) *world {
	w := &world{t: t, bench: b, c: program, raw: map[string][]byte{}, costs: costs}
	w.g.c = &w.c
	return w
}

func newServer(t testing.TB, dp *memory.Datapath) *Server {
	s, err := New(Config{
		NodeID: "127.0.0.8", Datapath: dp, N4: netip.MustParseAddr("127.0.0.8"), N3: n3, MaxSessions: 14,
		Limits:    association.Limits{Rules: 64, Associations: 3, Sessions: 10},
		Heartbeat: association.Heartbeat{Interval: 10 * time.Second, T1: time.Second, N1: 2},
		Buffering: BufferHold, Forward: func(forward.Tunnel, []byte) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// predictable makes the server's random choices the same in every run.
func (w *world) predictable() {
	teid, seid := uint32(0), uint64(0x1000)
	w.sessions.TEIDs.Random = func() uint32 { teid++; return teid % 4096 } // given ones among them, and more than all sessions can have
	w.sessions.Random = func() uint64 { seid++; return seid }
	w.later = func(f func()) { w.late = append(w.late, f) }
}

// live lets things happen until the choices are used up, then ends everything.
func (w *world) live() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, w.peer = range peers {
		if !w.c.one(8) {
			w.setup()
		}
	}
	for len(w.c) > 0 && !w.t.Failed() {
		w.step()
		if !w.among {
			w.check()
		}
	}
	if !w.among {
		w.leave()
	}
}

func (w *world) step() {
	if !w.c.one(2) { // several in a row
		w.peer = peers[w.c.n(len(peers))]
	}
	switch w.c.n(17) {
	case 0:
		w.clock()
	case 16:
		w.traffic()
	case 1:
		if w.c.one(4) {
			w.setup()
		}
	case 2:
		w.nodeMessage()
	case 3, 4, 5, 6, 7:
		w.establish()
	case 8, 9, 10, 11, 12:
		w.modify()
	case 13:
		w.begin(pfcp.SessionDeletionRequest, w.seid())
		w.say()
	case 14:
		w.again()
	case 15:
		w.refuse()
	}
}

// begin starts a request with the next sequence number, or with an earlier one.
func (w *world) begin(typ pfcp.MessageType, seid uint64) {
	if w.seq++; w.c.one(32) {
		w.seq -= 3
	}
	w.g.Begin(pfcp.Header{Type: typ, SEID: seid, Sequence: w.seq & pfcp.MaxSequence})
}

func (w *world) setup() {
	w.begin(pfcp.AssociationSetupRequest, 0)
	w.g.node(slices.Index(peers[:], w.peer))
	w.g.IE32(ie.RecoveryTimeStamp, uint32(recovery+w.c.n(3)))
	w.g.smfSet()
	w.say()
}

// nodeMessage is about a node, but makes no association.
func (w *world) nodeMessage() {
	switch w.c.n(5) {
	case 0:
		w.begin(pfcp.AssociationReleaseRequest, 0)
		w.g.node(slices.Index(peers[:], w.peer))
	case 1:
		w.begin(pfcp.AssociationUpdateRequest, 0)
		w.g.node(slices.Index(peers[:], w.peer))
		w.g.smfSet()
	case 2:
		w.begin(pfcp.HeartbeatRequest, 0)
		w.g.IE32(ie.RecoveryTimeStamp, uint32(recovery+w.c.n(5)))
	case 3:
		w.beatBack()
		return
	case 4:
		w.begin(pfcp.MessageType(w.c.n(60)), w.seid())
		w.g.rules(w.c.n(3))
	}
	w.say()
}

func (w *world) establish() {
	w.begin(pfcp.SessionEstablishmentRequest, 0)
	w.g.node(slices.Index(peers[:], w.peer))
	w.g.fseid(uint64(1 + w.c.n(200)))
	if !w.c.one(8) {
		w.g.session()
	}
	if w.c.one(4) {
		w.g.rules(1 + w.c.n(5))
	}
	if seid := establishedSEID(w.say()); seid != 0 {
		w.seids = append(w.seids, seid)
	}
}

// establishedSEID is the UP SEID in an answer; 0 when it has none.
func establishedSEID(answer []byte) uint64 {
	for i := 16; i+13 <= len(answer); i++ {
		if binary.BigEndian.Uint32(answer[i:]) == 57<<16|13 {
			return binary.BigEndian.Uint64(answer[i+5:])
		}
	}
	return 0
}

func (w *world) modify() {
	w.begin(pfcp.SessionModificationRequest, w.seid())
	if w.c.one(8) { // another SMF of the set, or the same
		w.g.node(slices.Index(peers[:], w.peer))
		w.g.fseid(uint64(1 + w.c.n(200)))
	}
	for w.c.n(3) > 0 {
		w.g.change()
	}
	if w.c.one(32) {
		w.g.many()
	}
	w.g.rules(w.c.n(2) * w.c.n(6))
	w.say()
}

func (w *world) session(seid uint64) *association.Session {
	return w.sessions.Get(seid)
}

// seid is a session's, mostly one of the latest.
func (w *world) seid() uint64 {
	if !w.c.one(8) { // one that is still there
		w.seids = slices.DeleteFunc(w.seids, func(seid uint64) bool { return w.session(seid) == nil })
	}
	if len(w.seids) == 0 || w.c.one(16) {
		return uint64(w.c.n(256))
	}
	seid := w.seids[len(w.seids)-1-w.c.n(min(len(w.seids), 8))]
	if a := w.sessions.AssociationOf(seid); a != nil && !w.c.one(4) {
		w.peer = a.Peer // its owner
	}
	return seid
}

// again sends an earlier datagram: as it was, or damaged.
func (w *world) again() {
	if len(w.sent) == 0 {
		return
	}
	b := slices.Clone(w.sent[len(w.sent)-1-w.c.n(min(len(w.sent), 16))])
	switch w.c.n(4) {
	case 0:
		at := w.c.n(256) % len(b)
		b[at] ^= byte(1 + w.c.n(255))
	case 1:
		b = b[:w.c.n(256)%len(b)]
	case 2:
		b = b[:w.c.n(256)%len(b)]
		if len(b) >= 4 {
			binary.BigEndian.PutUint16(b[2:], uint16(len(b)-4))
		}
	}
	w.receiveOne(b)
}

// refuse has the datapath refuse what comes, or take it again.
func (w *world) refuse() {
	switch w.c.n(8) {
	case 0:
		w.dp.Fail(errors.New("map update: EPERM"))
	case 1:
		w.dp.Fail(fmt.Errorf("add: %w", datapath.ErrFull))
	default:
		w.dp.Fail(nil)
	}
}

// traffic has packets counted for a URR, and one arrive for a UE that is asleep.
func (w *world) traffic() {
	if w.among {
		return
	}
	seid := w.seid()
	id := uint32(w.g.id())
	var urr session.URRKey
	if r := w.dp.Session(seid); r != nil && r.FindURR(id) != nil {
		urr = r.FindURR(id).Key()
	}
	w.dp.Use(seid, urr, session.Count{Packets: 1, Octets: uint64(w.c.n(256))},
		session.Count{Packets: 1, Octets: uint64(w.c.n(256))}, w.now)
	ip := []byte{0x45, 0, 0, 20, 0, 0, 0, 0, byte(w.c.n(3)), 17, 0, 0, 198, 51, 100, 2, 10, 45, 0, byte(1 + w.c.n(24))}
	checksum.Put(ip[10:], checksum.Finish(checksum.Sum(ip[:20])))
	w.dp.Hold(datapath.Held{SEID: seid, PDR: uint16(w.g.id()), TPDU: ip})
	w.busy()
}

// busy does what the server does by itself.
func (w *world) busy() {
	for len(w.held.Arrivals) > 0 {
		w.handed.Hold(<-w.held.Arrivals, w.now)
	}
	for len(w.reports.Alarms) > 0 {
		w.reports.Run(<-w.reports.Alarms, w.now)
	}
	w.reports.RunTimers(w.now)
	w.requests.Due(w.associations.Tunables().Heartbeat, w.now)
}

// clock moves the time, also back, and lets heartbeats become due.
func (w *world) clock() {
	jumps := [...]time.Duration{0, time.Millisecond, time.Second, 2 * time.Second, 11 * time.Second, 31 * time.Second, time.Hour, -time.Hour}
	w.now = w.now.Add(jumps[w.c.n(len(jumps))])
	w.beats = append(w.beats, w.nodes.DueBeats(w.now)...)
	w.beats = w.beats[max(0, len(w.beats)-8):]
	w.catchUp()
	if !w.among {
		w.busy()
	}
}

// beatBack answers a heartbeat of the server.
func (w *world) beatBack() {
	if len(w.beats) == 0 {
		return
	}
	one := w.beats[w.c.n(len(w.beats))]
	b := slices.Clone(one.Message)
	b[1] = byte(pfcp.HeartbeatResponse)
	binary.BigEndian.PutUint32(b[12:], uint32(recovery+w.c.n(4)))
	w.peer = one.To
	w.receiveOne(b)
}

// say sends the message that was built.
func (w *world) say() []byte {
	b := slices.Clone(w.g.Bytes())
	w.sent = append(w.sent, b)
	w.sent = w.sent[max(0, len(w.sent)-16):]
	return w.receiveOne(b)
}

// leave releases all associations; nothing may be left.
func (w *world) leave() {
	w.dp.Fail(nil)
	w.catchUp()
	for node, a := range w.associations.Nodes {
		w.peer = a.Peer
		w.begin(pfcp.AssociationReleaseRequest, 0)
		w.g.IE(ie.NodeID, w.raw[node]...)
		if answer := w.receiveOne(slices.Clone(w.g.Bytes())); len(answer) == 0 || answer[len(answer)-1] != 1 {
			w.t.Errorf("release of %q by %v: answer %x", node, w.peer, answer)
		}
	}
	w.check()
	if n := w.dp.Usages() + int(w.held.Octets.Load()); n != 0 {
		w.t.Errorf("after all releases: %d usages, %d octets held", w.dp.Usages(), w.held.Octets.Load())
	}
	if n := len(w.associations.Nodes) + len(w.associations.Sources) + len(w.sessions.BySEID) +
		len(w.sessions.TEIDs.Owner) + w.dp.Len(); n != 0 {
		w.t.Errorf("after all releases: %d associations, %d sources, %d sessions, %d TEIDs, %d sessions in the datapath",
			len(w.associations.Nodes), len(w.associations.Sources), len(w.sessions.BySEID), len(w.sessions.TEIDs.Owner), w.dp.Len())
	}
}
