package behaviour

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// prove shows by packets through a UPF that runs elsewhere that the addresses in use are reached from there: packets
// that arrive, however altered, prove it. What they should be is for cases to say.
//
// What is not reached is in doubt. Of an address that upflab chose, cases that need it do not apply. Between the
// scenario's own, a direction that passes nothing is the finding of the first case that needs it, and the others do not
// apply. Where neither direction passes anything, there is nothing to judge packets by.
func (b *Bench) prove(ctx context.Context) error {
	net := b.Lab.Net()
	if !net.Foreign {
		return nil
	}
	up, err := b.reaches(ctx, func(g *Fixture) (rules.Session, Packet) { return Plain(g.UE(0), g), Up(g.UE(0), "") })
	if err != nil {
		return err
	}
	down, err := b.reaches(ctx, func(g *Fixture) (rules.Session, Packet) { return Plain(g.UE(0), g), Down(g.UE(0), "") })
	if err != nil {
		return err
	}
	if up != "" && down != "" {
		return fmt.Errorf("no packets pass in a plain session from gNB %s to host %s and back: %s. The UPF, "+
			"its routes or the addresses in the scenario may be wrong, so no case is run and nothing is held against the UPF",
			net.GNB[0], net.host(), up)
	}
	b.unproven, b.blamed = map[string]string{}, map[string]string{}
	for way, why := range map[string]string{"uplink": up, "downlink": down} {
		if why != "" {
			b.unproven[fail.Lost+way] = fmt.Sprintf("no %s packets pass between gNB %s and host %s (%s): the UPF, its routes "+
				"or the addresses in the scenario may be wrong", way, net.GNB[0], net.host(), why)
		}
	}
	return b.proveChosen(ctx, net)
}

// host is the one that the first UE's packets go to.
func (n *Net) host() netip.Addr {
	ue, _ := n.UEs.Of(0)
	return n.Peer(ue)
}

// proveChosen does so for the addresses that upflab chose.
func (b *Bench) proveChosen(ctx context.Context, net Net) error {
	b.doubts = map[netip.Addr]string{}
	for _, x := range []struct {
		addr  netip.Addr
		lost  string // the symptom of the direction that leads there
		probe func(*Fixture) (rules.Session, Packet)
	}{
		{net.GNB[1], fail.Lost + "downlink", func(g *Fixture) (rules.Session, Packet) {
			u := g.UE(0)
			s := Plain(u, g)
			to := rules.Tunnel{TEID: u.Tunnel, Peer: g.GNB(1)}
			s.FARs[1].Tunnel = &to
			return s, Down(u, "").Into(to)
		}},
		{net.DN[1], fail.Lost + "uplink", func(g *Fixture) (rules.Session, Packet) {
			return Plain(g.UE(0), g), Up(g.UE(0), "").Host(g.DN(1))
		}},
	} {
		if !x.addr.IsValid() || b.unproven[x.lost] != "" || x.addr == net.DN[1] && !net.UEs.Family.IPv4() {
			continue
		}
		why, err := b.reaches(ctx, x.probe)
		if err != nil {
			return err
		}
		if why != "" {
			b.doubts[x.addr] = fmt.Sprintf("no packets pass through the UPF to %s, which upflab chose (%s)", x.addr, why)
		}
	}
	return nil
}

// Sends and sendEvery are how often, and how long after the one before, a probe is sent: a busy machine loses some, and
// a UPF the first of a session.
const (
	sends     = 15
	sendEvery = 100 * time.Millisecond
)

// reaches says why no packet of a session arrives; "": one does.
func (b *Bench) reaches(ctx context.Context, probe func(*Fixture) (rules.Session, Packet)) (why string, err error) {
	if err := b.ready(ctx); err != nil {
		return "", err
	}
	t := b.attemptAt(ctx, &Case{}, "")
	s, p := probe(t.Fixture)
	_, err = t.establish(p.UE, &s)
	var failed *fail.Failure
	switch {
	case err != nil && !errors.As(err, &failed) || ctx.Err() != nil:
		return "", errors.Join(err, ctx.Err())
	case t.sessions[p.UE] == nil: // otherwise it was accepted, if not as it should be
		return failed.Error(), nil
	}
	before := t.number
	arrived := func() bool {
		for n := before + 1; n <= t.number; n++ {
			if len(t.Inbox.Of(n)) > 0 {
				return true
			}
		}
		return false
	}
	fragments := t.Inbox.Fragments(p.gnb())
	why = p.Describe() + ", sent " + fmt.Sprint(sends) + " times, does not arrive " + wording(p.Wants)
	for range sends {
		if _, err := t.SendOne(&p); err != nil {
			return "", err
		}
		if t.Inbox.Await(ctx, sendEvery, arrived) {
			why = ""
			break
		}
	}
	if n := t.Inbox.Fragments(p.gnb()) - fragments; why != "" && n > 0 {
		why += fmt.Sprintf("; %d fragments of outer packets came there, of which none became whole", n)
	}
	return why, errors.Join(t.end(), ctx.Err())
}

// gnb is where a packet has to arrive in a tunnel on N3; the zero address: it has not.
func (p *Packet) gnb() netip.Addr {
	for _, w := range p.Wants {
		if w.Tunnel != nil {
			return w.Tunnel.Peer
		}
	}
	return netip.Addr{}
}

// unprovable is what a failure is in a direction that passes nothing: the finding of the first such case of a run, and
// in the others a reason why they do not apply.
func (b *Bench) unprovable(f *fail.Failure, id string) *fail.Failure {
	why := b.unproven[f.Symptom]
	if why == "" {
		return f
	}
	if at := b.blamed[f.Symptom]; at != "" && at != id {
		return fail.Inapplicable("no %s packets pass at all: see %s", strings.TrimPrefix(f.Symptom, fail.Lost), at).(*fail.Failure)
	}
	f.Verdict, f.Observed = record.VerdictNotEnforced, "it did not arrive, and "+why
	return f
}

// blame notes that a failure is the finding of a case, where its direction could not be proven.
func (b *Bench) blame(f *fail.Failure, id string) {
	if b.unproven[f.Symptom] != "" && b.blamed[f.Symptom] == "" {
		b.blamed[f.Symptom] = id
	}
}

// shown ends the doubt in the directions in which packets of a case that passes arrived.
func (t *traffic) shown() {
	for i := range t.once {
		p := &t.once[i]
		if !p.N9 && p.Wrapped == nil && len(t.Inbox.Of(p.Number)) > 0 {
			delete(t.unproven, p.lost())
		}
	}
}
