package attack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// target is a UPF under attack: by an SMF of its own, where the lab has an address for
// one, with sessions of its own, while the case's first UE has a session that nobody
// touches.
type target struct {
	t        *b.T
	net      b.Net
	peer     *n4.Peer // the attacker's
	own      bool     // the attacker has an association of its own
	watched  *b.UE
	sessions []session // the attacker's
	answers  answers
}

// session is a session that the attacker established.
type session struct {
	ue   *b.UE
	seid uint64 // the UPF's
}

// patience with requests that are to be answered.
var patience = n4.Patience{T1: time.Second, Tries: 3}

// attackers is how many sessions the attacker has before it begins.
const attackers = 4

// aim associates, and establishes the watched session and the attacker's.
func aim(t *b.T) (*target, error) {
	g := &target{t: t, net: t.Fixture.Net, watched: t.Fixture.UE(0)}
	if err := b.Serve(g.watched, t.Fixture).Do(t); err != nil {
		return nil, err
	}
	if err := g.forwards(); err != nil {
		return nil, err
	}
	dial := t.Lab.Capabilities().DialStranger
	if dial == nil {
		return nil, fail.Inapplicable("there is no address for a second SMF")
	}
	conn, node, own, err := dial()
	if err != nil {
		return nil, err
	}
	g.own = own
	if g.peer, err = n4.New(conn, t.UPF(), node, t.Writer().Dialect); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	g.peer.Watch(g.answers.take)
	if err := g.begin(); err != nil {
		g.close()
		return nil, fail.Inapplicable("the UPF serves no second SMF: %v", err)
	}
	return g, nil
}

// begin associates, where the attacker is a node of its own, and makes its sessions.
func (g *target) begin() error {
	if g.own {
		a, err := g.peer.Ask(g.t.Ctx, g.peer.Setup(), patience)
		if err != nil {
			return err
		}
		if !a.Accepted() {
			return fmt.Errorf("it refuses an association: cause %s", a.Why())
		}
	}
	if g.own && g.t.Writer().HeartbeatFirst {
		_, _ = g.peer.Ask(g.t.Ctx, g.peer.Heartbeat(), patience)
	}
	return g.establish()
}

// establish makes the attacker's sessions.
func (g *target) establish() error {
	for i := range attackers {
		u := g.t.Fixture.UE(1 + i)
		plain := b.Plain(u, g.t.Fixture)
		s := g.t.LeaveFTEIDs(u, &plain)
		a, err := g.peer.Ask(g.t.Ctx, g.peer.Establish(g.t.Writer(), g.peer.Node, g.peer.NextSEID(), s), patience)
		if err != nil {
			return fmt.Errorf("establish the attacker's own session: %w", err)
		}
		if !a.Accepted() {
			return fmt.Errorf("establish the attacker's own session: the UPF refuses it: cause %s", a.Why())
		}
		if err := g.t.TakeFTEID(u, s, &a); err != nil {
			return err
		}
		g.sessions = append(g.sessions, session{ue: u, seid: a.SEID})
	}
	return g.t.Settle()
}

// close ends the attacker's association.
func (g *target) close() {
	if g.peer == nil {
		return
	}
	g.answers.close()
	if g.own {
		_ = g.peer.Send(g.peer.Release())
	}
	_ = g.peer.Close()
}

// forwards sends packets of the watched session.
func (g *target) forwards() error {
	return b.Send(b.Up(g.watched, "").Plainly(), b.Down(g.watched, "").Plainly()).Do(g.t)
}

// send sends an input.
func (g *target) send(in Input) error {
	switch in.Port {
	case N3:
		return g.t.Lab.N3().Send(packet.Outer{From: g.net.GNB[0], To: g.net.UPF}.Carry(in.Data))
	case N6:
		return g.t.Lab.N6().Send(in.Data)
	}
	return g.peer.Send(in.Data)
}

// harmless reports whether an input can touch the watched session only by a defect: it
// names none of its identifiers.
func (g *target) harmless(in Input) bool {
	s := g.t.Session(g.watched)
	if in.Port == N4 && len(in.Data) >= 12 && in.Data[0]&1 != 0 && binary.BigEndian.Uint64(in.Data[4:]) == s.Theirs {
		return false
	}
	return !bytes.Contains(in.Data, g.watched.Addr.AsSlice()) && !bytes.Contains(in.Data, binary.BigEndian.AppendUint32(nil, g.watched.TEID))
}

// seeds are valid messages of the attacker's: in the UPF's dialect, and those that SMFs
// are known to send.
func (g *target) seeds() (list []*message) {
	w, p := g.t.Writer(), g.peer
	add := func(raw []byte) {
		if m, err := parse(append([]byte(nil), raw...)); err == nil {
			list = append(list, m)
		}
	}
	for i, s := range g.sessions {
		rules := everything(s.ue, g.t.Fixture, i)
		add(p.Establish(w, p.Node, p.NextSEID(), &rules))
		change := changed(s.ue, g.t.Fixture, i)
		add(p.Modify(w, s.seid, &change))
	}
	add(p.Delete(g.sessions[len(g.sessions)-1].seid))
	add(p.Heartbeat())
	add(p.Setup())
	var m pfcp.Builder
	p.Begin(&m, pfcp.PFDManagementRequest, 0)
	group := m.Open(ie.ApplicationIDsPFDs)
	m.IE(ie.ApplicationID, []byte("app1")...)
	m.Close(group)
	add(m.Bytes())
	for _, raw := range g.theirs() {
		add(raw)
	}
	return list
}

// theirs are the messages of real SMFs, with the addresses, TEIDs and SEIDs of this target.
func (g *target) theirs() (list [][]byte) {
	raw, err := frozen()
	if err != nil {
		panic(err) // they are part of the program, and tested
	}
	for _, m := range raw {
		list = append(list, g.live([]Input{{Port: N4, Data: m}})[0].Data)
	}
	return list
}

// seeded makes a mutator of the target's messages.
func (g *target) seeded(seed uint64) *mutator {
	return &mutator{rng: rand.New(rand.NewPCG(seed, 0)), seeds: g.seeds()}
}
