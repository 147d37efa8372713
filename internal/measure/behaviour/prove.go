package behaviour

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
)

// prove shows by packets through a UPF that runs elsewhere that the addresses in use are reached from there: packets
// that arrive, however altered, prove it. What they should be is for cases to say.
//
// What is not reached is in doubt. Of an address that upflab chose, cases that need it do not apply. Of the
// scenario's own, nobody can tell whether the UPF or the addresses are wrong: lost packets of that direction are no
// finding. Where neither direction passes anything, there is nothing to judge packets by.
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
			net.GNB[0], net.DN[0], up)
	}
	b.unproven = map[string]string{}
	for way, why := range map[string]string{"uplink": up, "downlink": down} {
		if why != "" {
			b.unproven[symptomLost+way] = fmt.Sprintf("no %s packets pass between gNB %s and host %s (%s): the UPF, its routes "+
				"or the addresses in the scenario may be wrong", way, net.GNB[0], net.DN[0], why)
		}
	}
	return b.proveChosen(ctx, net)
}

// proveChosen does so for the addresses that upflab chose.
func (b *Bench) proveChosen(ctx context.Context, net Net) error {
	b.doubts = map[netip.Addr]string{}
	for _, x := range []struct {
		addr  netip.Addr
		lost  string // the symptom of the direction that leads there
		probe func(*Fixture) (rules.Session, Packet)
	}{
		{net.GNB[1], symptomLost + "downlink", func(g *Fixture) (rules.Session, Packet) {
			u := g.UE(0)
			s := Plain(u, g)
			to := rules.Tunnel{TEID: u.Tunnel, Peer: g.GNB(1)}
			s.FARs[1].Tunnel = &to
			return s, Down(u, "").Into(to)
		}},
		{net.DN[1], symptomLost + "uplink", func(g *Fixture) (rules.Session, Packet) {
			return Plain(g.UE(0), g), Up(g.UE(0), "").Host(g.DN(1))
		}},
	} {
		if !x.addr.IsValid() || b.unproven[x.lost] != "" {
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
	var failed *Failure
	switch {
	case err != nil && !errors.As(err, &failed) || ctx.Err() != nil:
		return "", errors.Join(err, ctx.Err())
	case t.sessions[p.UE] == nil: // otherwise it was accepted, if not as it should be
		return failed.Error(), nil
	}
	before := t.number
	arrived := func() bool {
		for n := before + 1; n <= t.number; n++ {
			if len(t.inbox.of(n)) > 0 {
				return true
			}
		}
		return false
	}
	why = p.describe() + ", sent " + fmt.Sprint(sends) + " times, does not arrive " + wording(p.Wants)
	for range sends {
		if _, err := t.sendOne(&p); err != nil {
			return "", err
		}
		if t.inbox.await(ctx, sendEvery, arrived) {
			why = ""
			break
		}
	}
	return why, errors.Join(t.end(), ctx.Err())
}

// unprovable is a failure that nobody can hold against the UPF, as what it needs could not be proven.
func (b *Bench) unprovable(f *Failure) *Failure {
	if why := b.unproven[f.Symptom]; why != "" {
		f = inapplicable("%s", why).(*Failure)
	}
	return f
}
