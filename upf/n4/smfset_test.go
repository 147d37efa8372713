package n4

import (
	"bytes"
	"encoding/json"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/procedure"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// The SEIDs of SMFs in testdata/gen.py.
const (
	cpSEID1 = 0x1122334455667788
	cpSEID2 = 0x99AABBCCDDEEFF00
)

// patience is how long a test waits for what has to come, on a busy machine too.
const patience = 20 * time.Second

// member is an SMF on a loopback address. It answers heartbeats, and reports as it is told, while it is not dead.
type member struct {
	t       *testing.T
	b       *bench
	conn    *net.UDPConn
	upf     net.Addr
	answers chan []byte
	reports chan *message.SessionReportRequest
	beats   atomic.Int32
	dead    atomic.Bool
	reply   atomic.Pointer[[]*ie.IE] // to reports; nil: none
}

// loopback is a server on a socket, whose SMFs listen at the port of h.
type loopback struct {
	t   *testing.T
	b   *bench
	upf net.Addr
	h   association.Heartbeat
}

func serveSets(t *testing.T, way string, h association.Heartbeat) *loopback {
	t.Helper()
	b := newBench(t, nil)
	h.Port = freePort(t).Port()
	b.associations.Settings.Heartbeat = h
	return &loopback{t, b, serve(t, b, way).conn.RemoteAddr(), h}
}

func (l *loopback) smf(address string) *member {
	l.t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(address), Port: int(l.h.Port)})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { conn.Close() })
	m := &member{t: l.t, b: l.b, conn: conn, upf: l.upf, answers: make(chan []byte, 64), reports: make(chan *message.SessionReportRequest, 64)}
	go m.listen()
	return m
}

func (m *member) listen() {
	buf := make([]byte, 4096)
	for {
		n, err := m.conn.Read(buf)
		if err != nil {
			return
		}
		octets := bytes.Clone(buf[:n])
		switch h, _, _, _ := pfcp.Parse(octets); {
		case m.dead.Load():
		case h.Type == pfcp.HeartbeatRequest:
			m.beats.Add(1)
			m.send(message.NewHeartbeatResponse(h.Sequence, ie.NewUint32IE(ie.RecoveryTimeStamp, recovery)))
		case h.Type == pfcp.SessionReportRequest:
			m.report(octets)
		case h.Type.IsResponse():
			m.answers <- octets
		}
	}
}

func (m *member) report(octets []byte) {
	read, err := message.Parse(octets)
	if err != nil {
		m.t.Errorf("report %x: %v", octets, err)
		return
	}
	report := read.(*message.SessionReportRequest)
	if reply := m.reply.Load(); reply != nil {
		m.send(message.NewSessionReportResponse(0, 0, firstSEID, report.Sequence(), 0, *reply...))
	}
	m.reports <- report
}

func (m *member) send(what message.Message) {
	b := make([]byte, what.MarshalLen())
	if err := what.MarshalTo(b); err != nil {
		m.t.Error(err)
	}
	m.conn.WriteTo(b, m.upf)
}

func (m *member) replies(ies ...*ie.IE) { m.reply.Store(&ies) }

// ask sends a request of testdata and returns the answer.
func (m *member) ask(name string) []byte {
	m.t.Helper()
	if _, err := m.conn.WriteTo(m.b.pairs[name].request, m.upf); err != nil {
		m.t.Fatal(err)
	}
	select {
	case answer := <-m.answers:
		return answer
	case <-time.After(patience):
		m.t.Fatalf("%s: no answer", name)
		return nil
	}
}

// play sends requests and wants scapy's answers.
func (m *member) play(names ...string) {
	m.t.Helper()
	for _, name := range names {
		if got, want := m.ask(name), m.b.pairs[name].answer; !bytes.Equal(got, want) {
			m.t.Fatalf("%s:\n got %x\nwant %x", name, got, want)
		}
	}
}

// wantReport has packets counted, and wants the report of them here: for a SEID, and with the Old CP F-SEID of the first
// SMF or without one.
func (m *member) wantReport(story string, seid uint64, old bool) {
	m.t.Helper()
	m.b.dp.Use(firstSEID, 1, session.Count{Packets: 1, Octets: 1200}, session.Count{}, time.Now())
	m.wantNext(story, seid, old)
}

func (m *member) wantNext(story string, seid uint64, old bool) {
	m.t.Helper()
	select {
	case report := <-m.reports:
		if report.SEID() != seid || (report.OldCPFSEID != nil) != old {
			m.t.Fatalf("%s: the report is of session %#x, Old CP F-SEID %v; want %#x, %v", story, report.SEID(), report.OldCPFSEID, seid, old)
		}
		if !old {
			return
		}
		if f, err := report.OldCPFSEID.FSEID(); err != nil || f.SEID != cpSEID1 || !f.IPv4Address.Equal(net.IPv4(127, 0, 0, 7)) {
			m.t.Fatalf("%s: Old CP F-SEID %+v, %v", story, f, err)
		}
	case <-time.After(patience):
		m.t.Fatalf("%s: no report came", story)
	}
}

func (b *bench) wantOwner(node string, seid uint64) {
	b.t.Helper()
	var is association.Info
	if !wait.Until(patience, time.Millisecond, func() bool {
		is, _ = b.Session(firstSEID)
		return is.Node == node && is.CPSEID == seid
	}) {
		b.t.Fatalf("the session is that of %s with SEID %#x, want %s and %#x", is.Node, is.CPSEID, node, seid)
	}
}

func (b *bench) await(story string, f func() bool) {
	b.t.Helper()
	if !wait.Until(patience, time.Millisecond, f) {
		b.t.Fatalf("%s: not so after %v; %+v", story, patience, b.Counters())
	}
}

// accepted is the cause in a Session Report Response.
func accepted() *ie.IE { return ie.NewCause(ie.CauseRequestAccepted) }

// calm are times at which nobody seems dead who is not.
var calm = association.Heartbeat{T1: time.Second, N1: 3}

// TestSMFSetTakesOver: another SMF of the set, with an association of its own (MPAS), acts for a session and takes it
// over; an SMF outside of the set does not find it.
func TestSMFSetTakesOver(t *testing.T) {
	inEachWay(t, func(t *testing.T, way string) {
		l := serveSets(t, way, calm)
		one, two, outside := l.smf("127.0.0.7"), l.smf("127.0.0.17"), l.smf("127.0.0.37")
		one.play("set-setup", "establish-threshold")
		two.play("set-setup-2")
		outside.play("set-outside")
		for _, m := range []*member{one, two} {
			m.replies(accepted())
			l.b.wantCause("a query of the set", m.ask("query-all"), ie.CauseRequestAccepted)
		}
		for _, name := range []string{"query", "set-takeover-outside", "delete"} {
			l.b.wantCause(name+" from outside", outside.ask(name), ie.CauseSessionContextNotFound)
		}
		one.wantReport("before", cpSEID1, false)
		two.play("set-takeover-nameless", "set-takeover-unknown")
		one.wantReport("after a takeover that is refused", cpSEID1, false)
		two.play("set-takeover")
		l.b.wantOwner("127.0.0.17", cpSEID2)
		two.wantReport("after the takeover", cpSEID2, false)
		one.play("release")
		two.wantReport("after the first SMF has left", cpSEID2, false)
		l.b.wantCause("a query of the first SMF, an alternative of the second", one.ask("query"), ie.CauseRequestAccepted)
		l.b.wantCause("deletion", two.ask("delete"), ie.CauseRequestAccepted)
		if l.b.dp.Len() != 0 || len(one.reports) != 0 {
			t.Errorf("%d sessions are left, %d more reports went to the first SMF", l.b.dp.Len(), len(one.reports))
		}
	})
}

// mortal are times at which a dead SMF is missed after a second.
var mortal = association.Heartbeat{Interval: 100 * time.Millisecond, T1: 250 * time.Millisecond, N1: 3}

// bereaved is a server after the death of the first of two SMFs of a set, whose session the second has.
func bereaved(t *testing.T) (l *loopback, one, two *member) {
	t.Helper()
	l = serveSets(t, "goroutines", mortal)
	one, two = l.smf("127.0.0.7"), l.smf("127.0.0.17")
	one.play("set-setup", "establish-threshold")
	two.play("set-setup-2")
	one.dead.Store(true)
	l.b.await("the dead SMF's association ends", func() bool { return l.b.Counters().Associations == 1 })
	l.b.wantOwner("127.0.0.17", cpSEID1)
	return l, one, two
}

// TestSMFSetOutlivesItsSMF: the sessions of an SMF that does not answer heartbeats stay while another one of its set
// does, which gets their reports; with the last one they end.
func TestSMFSetOutlivesItsSMF(t *testing.T) {
	l, _, two := bereaved(t)
	two.replies(accepted(), ie.NewFSEID(cpSEID2, net.IPv4(127, 0, 0, 17), nil))
	two.wantReport("the first report to the other SMF", 0, true)
	l.b.wantOwner("127.0.0.17", cpSEID2)
	two.wantReport("the next one", cpSEID2, false)
	two.dead.Store(true)
	l.b.await("the session ends with the last SMF", func() bool { return l.b.Counters().Associations == 0 && l.b.dp.Len() == 0 })
}

// TestSMFSetSharesAnAssociation: by one association of the set (SSET) an SMF at an alternative address acts for the node
// and its sessions; the association lives as long as one of the addresses.
func TestSMFSetSharesAnAssociation(t *testing.T) {
	l := serveSets(t, "alone", mortal)
	one, two, outside := l.smf("127.0.0.7"), l.smf("127.0.0.17"), l.smf("127.0.0.37")
	one.play("set-shared")
	l.b.wantCause("establishment from outside", outside.ask("set-establish"), ie.CauseNoEstablishedPFCPAssociation)
	two.play("set-establish")
	l.b.wantCause("a query from outside", outside.ask("query"), ie.CauseSessionContextNotFound)
	l.b.wantCause("a query of the other SMF", two.ask("query"), ie.CauseRequestAccepted)
	one.replies(accepted())
	one.wantReport("by the CP F-SEID", cpSEID1, false)
	one.dead.Store(true)
	l.b.await("the other SMF is asked", func() bool { return two.beats.Load() > 0 })
	two.replies(accepted())
	two.wantReport("of the silent SMF's session", 0, true)
	one.dead.Store(false)
	one.conn.WriteTo(heartbeatAt(recovery), one.upf)
	one.await("heard of again")
	one.wantReport("it is back", cpSEID1, false)
	one.dead.Store(true)
	two.dead.Store(true)
	l.b.await("the association ends with the last SMF", func() bool { return l.b.Counters().Associations == 0 && l.b.dp.Len() == 0 })
}

// await waits until the server has answered.
func (m *member) await(story string) {
	m.t.Helper()
	select {
	case <-m.answers:
	case <-time.After(patience):
		m.t.Fatalf("%s: no answer", story)
	}
}

// TestReportsOfASilentSMF: a report that the session's SMF does not answer goes to another one of the set, and on to
// where that one sends the UPF; who answers with a CP F-SEID has the session.
func TestReportsOfASilentSMF(t *testing.T) {
	inEachWay(t, func(t *testing.T, way string) {
		l := serveSets(t, way, association.Heartbeat{T1: 200 * time.Millisecond, N1: 1})
		one, two, three := l.smf("127.0.0.7"), l.smf("127.0.0.17"), l.smf("127.0.0.27")
		one.play("set-setup", "establish-threshold")
		two.play("set-setup-2")
		three.play("set-setup-3")
		two.replies(ie.NewCause(ie.CauseRedirectionRequested), ie.New(ie.AlternativeSMFIPAddress, []byte{2, 127, 0, 0, 27}))
		three.replies(accepted(), ie.NewFSEID(cpSEID2, net.IPv4(127, 0, 0, 27), nil))
		one.wantReport("to the session's SMF", cpSEID1, false)
		two.wantNext("to another one", 0, true)
		three.wantNext("to where that one sends it", 0, true)
		l.b.wantOwner("127.0.0.27", cpSEID2)
		three.wantReport("the next one", cpSEID2, false)
	})
}

// TestReportToAnotherSMF holds such reports, and what answers lead to, to scapy's octets.
func TestReportToAnotherSMF(t *testing.T) {
	const other = "127.0.0.17:8805"
	for _, c := range []struct {
		story string
		next  func(b *bench)
	}{
		{"not answered", func(b *bench) {
			for range 4 {
				b.now = b.now.Add(time.Second)
				b.requests.Due(b.associations.Tunables().Heartbeat, b.now)
			}
		}},
		{"redirected", func(b *bench) { b.raw(b.pairs["report-redirected"].answer) }},
		{"its session is not known", func(b *bench) { b.answerReport(ie.NewCause(ie.CauseSessionContextNotFound)) }},
		{"redirected to nowhere", func(b *bench) { b.answerReport(ie.NewCause(ie.CauseRedirectionRequested)) }},
	} {
		t.Run(c.story, func(t *testing.T) {
			b := newBench(t, nil)
			b.play("set-setup", "establish-periodic")
			b.as(other, func() { b.play("set-setup-2") })
			sent := b.listen()
			b.now = b.now.Add(10 * time.Second)
			b.settle()
			c.next(b)
			b.wantSent(*sent, []string{"report-periodic", "report-to-other"})
			b.as(other, func() { b.raw(b.pairs["report-to-other"].answer) })
			b.wantOwner("127.0.0.17", cpSEID2)
			if n := b.Counters(); n.Reports != 1 || n.ReportsLost != 0 {
				t.Errorf("counters %+v, want one report, not lost", n)
			}
		})
	}
}

// answerReport answers the first report.
func (b *bench) answerReport(ies ...*ie.IE) {
	b.t.Helper()
	h, _, _, err := pfcp.Parse(b.pairs["report-redirected"].answer)
	if err != nil {
		b.t.Fatal(err)
	}
	m := message.NewSessionReportResponse(0, 0, firstSEID, h.Sequence, 0, ies...)
	octets := make([]byte, m.MarshalLen())
	if err := m.MarshalTo(octets); err != nil {
		b.t.Fatal(err)
	}
	b.raw(octets)
}

// TestSetsAreOfConfiguredSMFs: an SMF has the set that the configuration gives it, and no other; of alternative
// addresses those count that are of the same one.
func TestSetsAreOfConfiguredSMFs(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Sets = nil })
	for _, name := range []string{"set-setup", "set-shared"} {
		if answer := b.raw(b.pairs[name].request); bytes.Equal(answer, b.pairs[name].answer) {
			t.Errorf("%s: the answer announces sets: %x", name, answer)
		}
	}
	for _, a := range b.associations.Nodes {
		if a.Features != 0 || a.Set != "" || len(a.Others) != 0 {
			t.Errorf("%+v, want an association without a set", a)
		}
	}
	b = newBench(t, func(c *Config) {
		c.Sets = []association.SMFSet{{ID: "set.example.org", SMFs: []netip.Prefix{netip.MustParsePrefix("127.0.0.7/32")}}}
	})
	b.play("set-shared")
	for _, a := range b.associations.Nodes {
		if a.Features != request.CPSSET || len(a.Others) != 0 {
			t.Errorf("%+v, want SSET without the address that is not of the set", a)
		}
	}
}

// update sends an Association Update of a node with more IEs.
func (b *bench) update(node string, ies ...*ie.IE) []byte {
	return b.raw(pfcp.Encode(pfcp.AssociationUpdateRequest, 0, 900, append([]*ie.IE{ie.NewNodeID(node, "", "")}, ies...)...))
}

// setIE is an SMF Set ID, as scapy writes it in testdata/gen.py.
func setIE(labels ...string) *ie.IE {
	octets := []byte{0}
	for _, one := range labels {
		octets = append(append(octets, byte(len(one))), one...)
	}
	return ie.New(ie.SMFSetID, octets)
}

// TestSetIsNoClaim: an SMF that claims another set than its own is refused, by a setup and by an update, and controls no
// sessions there; the case of a name does not count.
func TestSetIsNoClaim(t *testing.T) {
	b := newBench(t, nil)
	b.play("set-setup", "establish-given")
	b.as("127.0.0.37:8805", func() {
		mpas := ie.New(ie.CPFunctionFeatures, []byte{byte(request.CPMPAS)})
		stamp := ie.NewUint32IE(ie.RecoveryTimeStamp, recovery)
		claim := pfcp.Encode(pfcp.AssociationSetupRequest, 0, 901, ie.NewNodeID("127.0.0.37", "", ""), stamp, mpas, setIE("set", "example", "org"))
		b.wantCause("a setup with another's set", b.raw(claim), ie.CauseRequestRejected)
		own := pfcp.Encode(pfcp.AssociationSetupRequest, 0, 902, ie.NewNodeID("127.0.0.37", "", ""), stamp, mpas, setIE("Other", "EXAMPLE", "org"))
		b.wantCause("a setup with its own", b.raw(own), ie.CauseRequestAccepted)
		b.wantCause("an update with another's", b.update("127.0.0.37", setIE("set", "example", "org")), ie.CauseRequestRejected)
		b.wantCause("deletion of another set's session", b.raw(b.pairs["delete"].request), ie.CauseSessionContextNotFound)
	})
	if set := b.associations.Of("127.0.0.37").Set; set != "other.example.org" {
		t.Errorf("its set is %q", set)
	}
	b.as("127.0.0.17:8805", func() {
		request := bytes.Replace(b.pairs["set-setup-2"].request, []byte("\x07example"), []byte("\x07EXAMPLE"), 1)
		b.wantCause("the set in capitals", b.raw(request), ie.CauseRequestAccepted)
		b.wantCause("a session of the set", b.raw(b.pairs["modify-handover"].request), ie.CauseRequestAccepted)
	})
	named := func(typ pfcp.MessageType, name string) []byte {
		return b.raw(pfcp.Encode(typ, 0, 920+uint32(typ), ie.NewNodeID("", "", name), ie.NewUint32IE(ie.RecoveryTimeStamp, recovery)))
	}
	b.wantCause("a Node ID", named(pfcp.AssociationSetupRequest, "smf.example.org"), ie.CauseRequestAccepted)
	b.wantCause("the Node ID in capitals", named(pfcp.AssociationReleaseRequest, "SMF.example.ORG"), ie.CauseRequestAccepted)
	b.associations.Reload(association.Tunables{SMFs: b.cfg.SMFs})
	b.as("127.0.0.17:8805", func() {
		b.wantCause("a session of a set that is not configured any more", b.raw(b.pairs["delete"].request), ie.CauseSessionContextNotFound)
	})
}

// TestFSEIDOutsideOfTheSMFs: a CP F-SEID of an address that may not associate is refused, and a Node ID gives such an
// address nothing.
func TestFSEIDOutsideOfTheSMFs(t *testing.T) {
	b := newBench(t, func(c *Config) { c.SMFs = []netip.Prefix{netip.MustParsePrefix("127.0.0.7/32")} })
	b.play("setup")
	outside := bytes.Replace(b.pairs["establish-given"].request, []byte{0x88, 127, 0, 0, 7}, []byte{0x88, 127, 0, 0, 9}, 1)
	b.wantCause("an establishment", b.raw(outside), ie.CauseMandatoryIEIncorrect)
	b.play("establish-given")
	move := pfcp.Encode(pfcp.SessionModificationRequest, firstSEID, 910, ie.NewFSEID(cpSEID1, net.IPv4(127, 0, 0, 9), nil))
	b.wantCause("a modification", b.raw(move), ie.CauseMandatoryIEIncorrect)
	named := pfcp.Encode(pfcp.AssociationSetupRequest, 0, 911, ie.NewNodeID("127.0.0.9", "", ""), ie.NewUint32IE(ie.RecoveryTimeStamp, recovery))
	b.wantCause("a Node ID of such an address", b.raw(named), ie.CauseRequestAccepted)
	b.associations.Ownership.Hand(b.sessions.Get(firstSEID), b.associations.Of("127.0.0.9"))
	b.as("127.0.0.9:8805", func() {
		b.wantCause("a modification from outside", b.raw(b.pairs["modify-handover"].request), ie.CauseSessionContextNotFound)
		b.wantCause("a deletion from outside", b.raw(b.pairs["delete"].request), ie.CauseSessionContextNotFound)
		b.wantCause("a release from outside", b.raw(pfcp.Encode(pfcp.AssociationReleaseRequest, 0, 912, ie.NewNodeID("127.0.0.9", "", ""))),
			ie.CauseNoEstablishedPFCPAssociation)
	})
	b.play("modify-handover", "delete")
}

// TestRedirectionOutsideOfTheSet: a report goes to no alternative SMF that is not of the set.
func TestRedirectionOutsideOfTheSet(t *testing.T) {
	b := newBench(t, nil)
	b.play("set-setup", "establish-periodic")
	var to []string
	b.requests.Numbers.Start(1)
	b.requests.Transmit = func(_ []byte, at netip.AddrPort) { to = append(to, at.Addr().String()) }
	b.now = b.now.Add(10 * time.Second)
	b.settle()
	b.raw(pfcp.Encode(pfcp.SessionReportResponse, firstSEID, 1, ie.NewCause(ie.CauseRedirectionRequested),
		ie.New(ie.AlternativeSMFIPAddress, []byte{2, 127, 0, 0, 37}), ie.New(ie.AlternativeSMFIPAddress, []byte{2, 127, 0, 0, 27})))
	if !slices.Equal(to, []string{"127.0.0.7", "127.0.0.27"}) {
		t.Errorf("the report went to %v, want the SMF and another one of its set", to)
	}
}

// TestBequeathedSessionsAreRetained: an SMF that was dead, and comes back with PFCP Session Retention Information, has its
// sessions again that others of the set went on with, and is told so.
func TestBequeathedSessionsAreRetained(t *testing.T) {
	for setup, stay := range map[string]int{"setup-retain": 1, "setup-retain-one": 1, "setup-retain-other": 0} {
		l, one, two := bereaved(t)
		one.dead.Store(false)
		answer := one.ask(setup)
		if told := bytes.Contains(answer, []byte{0, 184, 0, 1, procedure.SessionsRetained}); told != (stay == 1) {
			t.Errorf("%s: PSREI is in the answer: %v, want %v: %x", setup, told, stay == 1, answer)
		}
		if n := l.b.dp.Len(); n != stay {
			t.Errorf("%s: %d sessions are left, want %d", setup, n, stay)
		}
		if stay == 1 {
			l.b.wantOwner("127.0.0.7", cpSEID1)
			one.replies(accepted())
			one.wantReport("to the SMF that is back", cpSEID1, false)
			l.b.wantCause("deletion by the SMF that is back", one.ask("delete"), ie.CauseRequestAccepted)
		}
		one.conn.Close()
		two.conn.Close()
	}
}

// TestBequeathedSessionsEnd: sessions that others of the set went on with end when their SMF, which was dead, sets its
// association up again and retains none.
func TestBequeathedSessionsEnd(t *testing.T) {
	l, one, _ := bereaved(t)
	one.dead.Store(false)
	one.play("set-setup")
	if n := l.b.Counters(); l.b.dp.Len() != 0 || n.Associations != 2 {
		t.Errorf("%d sessions are left of an SMF that has forgotten them, %+v", l.b.dp.Len(), n)
	}
}

// TestReportIsLostWithTheSet: a report that no SMF of the set answers is counted once.
func TestReportIsLostWithTheSet(t *testing.T) {
	b := newBench(t, nil)
	b.play("set-setup", "establish-periodic")
	b.as("127.0.0.17:8805", func() { b.play("set-setup-2") })
	b.listen()
	b.now = b.now.Add(10 * time.Second)
	b.settle()
	for range 9 {
		b.now = b.now.Add(time.Second)
		b.requests.Due(b.associations.Tunables().Heartbeat, b.now)
	}
	if n := b.Counters(); n.Reports != 1 || n.ReportsLost != 1 || len(b.requests.Waiting) != 0 {
		t.Errorf("counters %+v, %d wait; want one report, lost once", n, len(b.requests.Waiting))
	}
}

// TestSessionsAreRetained: a setup of an associated node with PFCP Session Retention Information keeps the sessions of
// the CP PFCP entities that it names, or all, whatever the Recovery Time Stamp (TS 29.244 clause 6.2.6.2.2).
func TestSessionsAreRetained(t *testing.T) {
	for setup, stay := range map[string]int{"setup-retain": 1, "setup-retain-one": 1, "setup-retain-other": 0} {
		b := newBench(t, nil)
		b.play("setup", "pfd-web", "establish-web", setup)
		if b.dp.Len() != stay {
			t.Errorf("%s: %d sessions are left, want %d", setup, b.dp.Len(), stay)
		}
		if stay == 0 {
			continue
		}
		b.play("modify-drop")
		if filters := b.rules().PDRs[0].PDI.Filters; len(filters) == 0 {
			t.Errorf("%s: the application has no filters any more", setup)
		}
		b.play("delete")
	}
}

// TestRestartOfARetainedSMF: after such a setup the new Recovery Time Stamp is the known one.
func TestRestartOfARetainedSMF(t *testing.T) {
	l := serveSets(t, "goroutines", calm)
	one := l.smf("127.0.0.7")
	one.play("set-setup", "establish-threshold", "setup-retain")
	one.replies(accepted())
	one.wantReport("after the restart", cpSEID1, false)
	for stamp, stay := range []int{1, 0} {
		one.conn.WriteTo(heartbeatAt(uint32(recovery+9+stamp)), one.upf)
		one.await("heartbeat")
		l.b.await("sessions after a heartbeat", func() bool { return l.b.dp.Len() == stay })
	}
}

// TestRetentionFails: when the sessions that are not retained cannot be deleted the setup is refused, and all is as it was.
func TestRetentionFails(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	b.dp.Fail(net.ErrClosed)
	b.wantCause("the setup", b.raw(b.pairs["setup-retain-other"].request), ie.CauseSystemFailure)
	b.dp.Fail(nil)
	b.play("modify-handover", "delete")
}

// TestSetsAreWellFormed: what is wrong with an SMF set is answered by a cause, and changes nothing.
func TestSetsAreWellFormed(t *testing.T) {
	b := newBench(t, nil)
	b.play("set-no-id", "set-short-id", "set-short-address", "set-short-entity")
	if n := b.Counters().Associations; n != 0 {
		t.Errorf("%d associations", n)
	}
	b.play("set-setup", "establish-given")
	b.as("127.0.0.17:8805", func() {
		b.play("set-setup-2")
		b.wantCause("a node of no set", b.raw(pfcp.Encode(pfcp.AssociationSetupRequest, 0, 1,
			ie.NewNodeID("", "", "out.example.org"), ie.NewUint32IE(ie.RecoveryTimeStamp, recovery))), ie.CauseRequestAccepted)
		b.play("set-takeover-outside", "set-takeover-unknown", "set-takeover-nameless")
	})
	b.wantOwner("127.0.0.7", cpSEID1)
}

// TestSetIsUpdated: an Association Update replaces the alternative addresses. Without a set they are nothing.
func TestSetIsUpdated(t *testing.T) {
	for setup, want := range map[string]uint8{"set-setup": ie.CauseRequestAccepted, "setup": ie.CauseSessionContextNotFound} {
		b := newBench(t, nil)
		b.play(setup, "establish-given")
		b.as("127.0.0.17:8805", func() {
			b.wantCause("before", b.raw(b.pairs["modify-drop"].request), ie.CauseSessionContextNotFound)
		})
		if answer := b.raw(b.pairs["set-update"].request); !bytes.Contains(answer, []byte{0, 19, 0, 1, ie.CauseRequestAccepted}) {
			t.Errorf("update: %x", answer)
		}
		b.as("127.0.0.17:8805", func() {
			b.wantCause("after, with "+setup, b.raw(b.pairs["modify-qer"].request), want)
		})
	}
}

// TestSharedRestart: when one SMF of a shared association restarts, the sessions of the others stay.
func TestSharedRestart(t *testing.T) {
	for taken, stay := range map[bool]int{false: 0, true: 1} {
		b := newBench(t, nil)
		b.play("set-shared", "set-establish")
		if taken { // by CP F-SEID
			b.as("127.0.0.17:8805", func() {
				b.wantCause("takeover", b.raw(b.pairs["set-takeover-nameless"].request), ie.CauseRequestAccepted)
			})
		}
		b.raw(heartbeatAt(recovery + 1))
		if b.dp.Len() != stay {
			t.Errorf("taken over %v: %d sessions are left, want %d", taken, b.dp.Len(), stay)
		}
	}
}

// TestLimitOfATakeover: an SMF that has as many sessions as it may takes no other over.
func TestLimitOfATakeover(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Limits.Sessions = 1 })
	b.play("set-setup", "establish-choose")
	b.as("127.0.0.17:8805", func() {
		b.play("set-setup-2")
		own := bytes.Replace(b.pairs["ipv6"].request, []byte{127, 0, 0, 7}, []byte{127, 0, 0, 17}, -1)
		b.wantCause("its own session", b.raw(own), ie.CauseRequestAccepted)
		b.wantCause("the takeover", b.raw(b.pairs["set-takeover"].request), ie.CauseNoResourcesAvailable)
	})
	b.wantOwner("127.0.0.7", cpSEID1)
}

// TestSetIsKept: a later process knows the sets, who has a session, and which SMFs were silent.
func TestSetIsKept(t *testing.T) {
	kept := &notebook{values: map[string]json.RawMessage{}}
	b := newBench(t, func(c *Config) { c.Keeper = kept })
	b.play("set-setup", "establish-periodic")
	b.as("127.0.0.17:8805", func() { b.play("set-setup-2") })
	b.associations.Settings.Heartbeat = association.Heartbeat{Interval: time.Second, T1: time.Second, N1: 1, Port: 8805}
	for range 16 {
		b.now = b.now.Add(500 * time.Millisecond)
		for _, beat := range b.nodes.DueBeats(b.now) {
			if beat.To.Addr().String() == "127.0.0.17" {
				b.as(beat.To.String(), func() { b.raw(heartbeatResponse(t, beat.Message)) })
			}
		}
		b.catchUp()
	}
	later := newBench(t, nil)
	later.Restore(procedure.Kept{Recovery: started, Values: kept.values})
	later.wantOwner("127.0.0.17", cpSEID1)
	var to netip.AddrPort
	later.requests.Transmit = func(_ []byte, at netip.AddrPort) { to = at }
	later.now = b.now.Add(time.Minute)
	later.settle()
	if to.Addr().String() != "127.0.0.17" {
		t.Errorf("a report goes to %v, want the SMF that lives", to)
	}
	later.as("127.0.0.17:8805", func() { later.play("set-takeover") })
}

// TestTakeoversAtOnce: SMFs of a set take the same sessions over at the same time, while some leave and come back. In the
// end each session is in the one association that the server has for it.
func TestTakeoversAtOnce(t *testing.T) {
	const smfs, sessions = 4, 32
	b := newBench(t, func(c *Config) {
		c.MaxSessions, c.Limits = sessions, association.Limits{Rules: 8, Associations: 1, Sessions: sessions}
	})
	smf := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 1, byte(i)}), 8805)
	}
	node := func(i int) *ie.IE { return ie.NewNodeID(smf(i).Addr().String(), "", "") }
	var sequence atomic.Uint32
	ask := func(i int, typ pfcp.MessageType, seid uint64, ies ...*ie.IE) []byte {
		return b.receiver.receive(pfcp.Encode(typ, seid, sequence.Add(1), ies...), smf(i), time.Now())
	}
	setup := func(i int) []byte {
		return ask(i, pfcp.AssociationSetupRequest, 0, node(i), ie.NewUint32IE(ie.RecoveryTimeStamp, recovery),
			ie.New(ie.CPFunctionFeatures, []byte{byte(request.CPMPAS)}), ie.New(ie.SMFSetID, []byte{0, 1, 'a'}))
	}
	for i := range smfs {
		b.wantCause("setup", setup(i), ie.CauseRequestAccepted)
	}
	for n := range sessions {
		m := establishmentOf(sequence.Add(1), netip.AddrFrom4([4]byte{10, 45, 1, byte(n)}).String())
		m.NodeID = node(0)
		b.wantCause("establishment", b.receiver.receive(octetsOf(t, m), smf(0), time.Now()), ie.CauseRequestAccepted)
	}
	var running sync.WaitGroup
	for i := range smfs {
		running.Go(func() {
			for n := range 400 {
				seid := uint64(firstSEID + (n*7+i)%sessions)
				ask(i, pfcp.SessionModificationRequest, seid, node(i), ie.NewFSEID(uint64(n+1), smf(i).Addr().AsSlice(), nil))
				switch {
				case n%100 == 99 && i > 1:
					ask(i, pfcp.AssociationReleaseRequest, 0, node(i))
					setup(i)
				case n%20 == 10 && i == 1:
					b.nodes.Bequeath(b.associations.Of(smf(1).Addr().String()))
				}
			}
		})
	}
	running.Wait()
	w := around(t, *b, nil, newCosts())
	w.among = true // its answers are not those of a sequence
	w.check()
}

// notebook keeps what a later process is given.
type notebook struct {
	mu     sync.Mutex
	values map[string]json.RawMessage
}

func (n *notebook) Put(key string, value any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	n.values[key] = text
}

func (n *notebook) Forget(key string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.values, key)
}
