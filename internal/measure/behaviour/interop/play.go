package interop

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// player plays a dialect with one UE.
type player struct {
	d    *Dialect
	g    *b.Fixture
	u    *b.UE
	ours uint64         // our SEID of the session
	told map[uint16]int // downlink data reports so far, by PDR
	// fteids are what the UPF chose.
	fteids map[tunnel]smf.Created
}

// steps are the messages of a dialect, each followed by packets that show what the rules mean then.
func (d *Dialect) steps(g *b.Fixture) (list []b.Step) {
	p := &player{d: d, g: g, u: g.UE(0), told: map[uint16]int{}, fteids: map[tunnel]smf.Created{}}
	states := p.states()
	for i := range d.Messages {
		m := &d.Messages[i]
		add := func(steps ...b.Step) {
			for _, s := range steps {
				list = append(list, p.at(i, s))
			}
		}
		add(p.message(m, states[i]))
		if m.Type == establish || m.Type == modification || m.Type == deletion {
			add(p.packets(states, i)...)
		}
	}
	return list
}

// states are the rules after each message. The octets of what only the UPF chooses do not matter for them.
func (p *player) states() (list []state) {
	s := state{ends: ends{p.u.Addr, p.g.DN(0), string(append(p.place(teid), p.place(n3)...))}, tunnels: map[uint64]tunnel{}}
	for _, m := range p.d.Messages {
		s = s.after(&tree{ies: p.trees(m.IEs, func(string) ([]byte, error) { return nil, nil })})
		s.gone = s.gone || m.Type == deletion
		s.settle()
		list = append(list, s)
	}
	return list
}

// trees are IEs with their octets.
func (p *player) trees(list []*IE, recovered func(string) ([]byte, error)) (out []*tree) {
	for _, e := range list {
		v, _ := octets(e.Value, func(name string) ([]byte, error) { // checked before
			if name == recovery {
				return recovered(name)
			}
			return p.place(name), nil
		})
		out = append(out, &tree{e.Type, v, p.trees(e.IEs, recovered)})
	}
	return out
}

// place is what stands for a placeholder in this lab.
func (p *player) place(name string) []byte {
	switch name {
	case smfAddr:
		return p.g.SMF.AsSlice()
	case seid:
		return binary.BigEndian.AppendUint64(nil, p.ours)
	case teid:
		return binary.BigEndian.AppendUint32(nil, p.u.TEID)
	case n3:
		return p.u.N3.AsSlice()
	case ue:
		return p.u.Addr.AsSlice()
	case host:
		return p.g.DN(0).AsSlice()
	case instance:
		return []byte(p.g.Instance)
	case instanceLabels:
		return labels(p.g.Instance)
	}
	prefix, n := numbered(name)
	if prefix == gnbN {
		return p.g.GNB(min(n, 2) - 1).AsSlice()
	}
	return binary.BigEndian.AppendUint32(nil, p.u.Tunnel+uint32(n-1)<<20)
}

// labels writes a name as DNS labels.
func labels(name string) (out []byte) {
	for label := range strings.SplitSeq(name, ".") {
		out = append(append(out, byte(len(label))), label...)
	}
	return out
}

// at makes a step's failure name the message that it belongs to, by its place in the dialect.
func (p *player) at(n int, s b.Step) b.Step {
	m := &p.d.Messages[n]
	return b.Step{Text: s.Text, Do: func(t *b.T) error {
		err := s.Do(t)
		var f *fail.Failure
		if errors.As(err, &f) && f.Expected != "" {
			f.Expected = fmt.Sprintf("message %d, %s: %s", n+1, m.Type, f.Expected)
		}
		return err
	}}
}

// message sends a message of the dialect, which the UPF has to accept.
func (p *player) message(m *Message, s state) b.Step {
	text := m.Type.String() + groups(m.IEs)
	build := func(t *b.T) []byte {
		if m.Type == establish {
			p.ours = t.Peer().NextSEID()
		}
		theirs := uint64(0)
		if session := t.Session(p.u); session != nil {
			theirs = session.Theirs
		}
		var w pfcp.Builder
		t.Peer().Begin(&w, m.Type, theirs)
		encode(&w, p.trees(m.IEs, func(string) ([]byte, error) { return recoveryOf(t.Peer()), nil }))
		return append([]byte(nil), w.Bytes()...)
	}
	return b.Ask(text, build, func(t *b.T, a *n4.Answer) error {
		if m.Type == heartbeat {
			return nil
		}
		if m.Type == establish && a.Accepted() {
			t.Adopt(p.u, p.ours, a.SEID)
		}
		if err := b.Accept(m.Type.String())(t, a); err != nil {
			return err
		}
		if session := t.Session(p.u); m.Type == deletion && session != nil {
			session.Theirs = 0
		}
		return p.chosen(a, s)
	})
}

// chosen takes the F-TEIDs that the UPF chose for uplink PDRs. The first is that of the UE.
func (p *player) chosen(a *n4.Answer, s state) error {
	for _, c := range a.Created {
		if t := s.tunnels[uint64(c.PDR)]; c.TEID != 0 && t.message == s.messages {
			p.fteids[t] = c
		}
	}
	for i, up := range s.up {
		t := up.packet.tunnel
		if t.message == 0 || t.message != s.messages {
			continue
		}
		c, ok := p.fteids[t]
		if !ok {
			return fail.NotEnforcedf(fmt.Sprintf("a Created PDR has the F-TEID that the UPF chose for PDR %d", up.pdr), "there is none")
		}
		if a.Type == establish+1 && i == 0 {
			if p.u.TEID = c.TEID; c.N3.IsValid() {
				p.u.N3 = c.N3
			}
		}
	}
	return nil
}

// recoveryOf is the Recovery Time Stamp of the SMF, as its messages have it.
func recoveryOf(p *n4.Peer) []byte {
	_, ies, _, _ := pfcp.Parse(p.Heartbeat())
	return ies[4:8]
}

func encode(w *pfcp.Builder, list []*tree) {
	for _, e := range list {
		at := w.Open(e.typ)
		w.Octets(e.value...)
		encode(w, e.ies)
		w.Close(at)
	}
}

// groups lists the rules that a message has: " with Create PDR, Create FAR".
func groups(list []*IE) string {
	var names []string
	for _, e := range list {
		if name := pfcp.IEType(e.Type).String(); pfcp.Grouped(e.Type) && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	return " with " + strings.Join(names, ", ")
}

// packets are those that show what the rules mean after the n-th message.
func (p *player) packets(states []state, n int) (list []b.Step) {
	marked := p.endMarkers(&p.d.Messages[n])
	if n > 0 && !states[n].gone {
		for _, before := range states[n-1].down {
			if marked[before.far] && before.forwards(false) {
				list, marked[before.far] = append(list, p.announced(smf.EMPU, b.EndMarkers(*before.tunnel, 1))), false
			}
		}
	}
	for _, up := range states[n].up {
		list = append(list, p.up(up))
	}
	for _, down := range states[n].down {
		list = append(list, p.down(states, n, &down)...)
	}
	return list
}

// up sends an uplink packet into the tunnel that the UPF chose for it.
func (p *player) up(w route) b.Step {
	k := p.uplink(&w)
	return b.Step{Text: b.Send(k).Text, Do: func(t *b.T) error {
		if c := p.fteids[w.packet.tunnel]; c.TEID != 0 {
			k.Outer.TEID, k.Outer.To = c.TEID, c.N3
		}
		return b.Send(k).Do(t)
	}}
}

// down are the steps that show a downlink route after the n-th message.
func (p *player) down(states []state, n int, down *route) (list []b.Step) {
	before := route{}
	if n > 0 {
		before = states[n-1].of(down.pdr)
	}
	switch {
	case down.holds() && before.holds(): // the first packet is in the buffer
	case down.holds():
		held := p.downlink(down)
		if later := p.released(states, n, down.pdr); later != nil {
			held.Wants = p.downlink(later).Wants
		}
		list = append(list, b.Held(held))
		if down.action&rules.Notify != 0 {
			list = append(list, p.notified(uint16(down.pdr)))
		}
	case before.holds() && down.forwards(false):
		list = append(list, b.ReleasedOf(p.downlink(&before)), b.Send(p.downlink(down)))
	case !down.unclear():
		list = append(list, b.Send(p.downlink(down)))
	}
	return list
}

// notified waits for one more downlink data report, which names a PDR.
func (p *player) notified(pdr uint16) b.Step {
	expected := fmt.Sprintf("one downlink data report on PDR %d comes", pdr)
	return b.Step{Text: expected, Do: func(t *b.T) error {
		count := func(list []n4.Report) (n int) {
			for _, r := range list {
				if r.Type&smf.DownlinkData != 0 && slices.Contains(r.PDRs, pdr) {
					n++
				}
			}
			return n
		}
		t.Peer().Await(t.Ctx, p.ours, 2*time.Second, func(list []n4.Report) bool { return count(list) > p.told[pdr] })
		t.Wait(b.Quiet)
		came := count(t.Peer().Reports(p.ours)) - p.told[pdr]
		p.told[pdr] += came
		if came < 1 {
			return fail.Because(fail.Report, fail.Repeated(fail.NotEnforcedf(expected, "none came in 2s")))
		}
		if came > 1 {
			return fail.Because("report-again", fail.Wrongf(expected, "%d came", came))
		}
		return nil
	}}
}

// released is the route that packets of a PDR held after the n-th message take once they are released; nil: they are not.
func (p *player) released(states []state, n int, pdr uint64) *route {
	for _, s := range states[n+1:] {
		if w := s.of(pdr); w.forwards(false) {
			return &w
		} else if !w.holds() {
			return nil
		}
	}
	return nil
}

// endMarkers are the FARs of which a message asks for End Markers (SNDEM, TS 29.244 clause 8.2.53).
func (p *player) endMarkers(m *Message) map[uint64]bool {
	const sndem = 1 << 1
	fars := map[uint64]bool{}
	for _, e := range p.trees(m.IEs, func(string) ([]byte, error) { return nil, nil }) {
		if e.typ == ie.UpdateFAR && e.find(ie.UpdateForwardingParameters, ie.PFCPSMReqFlags).octet(0)&sndem != 0 {
			fars[e.find(ie.FARID).number()] = true
		}
	}
	return fars
}

// announced is a step for a UPF that announces a feature.
func (p *player) announced(f smf.Features, s b.Step) b.Step {
	return b.Step{Text: s.Text, Do: func(t *b.T) error {
		if !t.Features.Has(f) {
			return nil
		}
		return s.Do(t)
	}}
}

// uplink is a packet of the UE, and what has to become of it.
func (p *player) uplink(w *route) b.Packet {
	k := p.sampled(b.Up(p.u, "("+w.String()+")"), w)
	if w.qfi != 0 {
		k = k.InFlow(w.qfi)
	}
	if !w.forwards(true) {
		return k.Lost()
	}
	return k
}

// downlink is a packet to the UE, and what has to become of it.
func (p *player) downlink(w *route) b.Packet {
	k := p.sampled(b.Down(p.u, "("+w.String()+")"), w)
	if !w.forwards(false) {
		return k.Lost()
	}
	k.Wants = []b.Want{{Tunnel: w.tunnel, QFI: w.qfi}}
	return k
}

// sampled makes a packet the one of a route.
func (p *player) sampled(k b.Packet, w *route) b.Packet {
	if w.rule == nil {
		return k
	}
	return k.Host(p.g.DN(0)).Port(w.packet.remote).At(w.packet.local)
}
