package behaviour

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/record"
)

// prove shows by packets through a UPF that runs elsewhere that the addresses which upflab chose are
// reached from there. What is not is in doubt: cases that need it do not apply. Where not even
// packets between the scenario's own addresses pass, nobody can tell whose fault that is.
func (b *Bench) prove(ctx context.Context) error {
	net := b.Lab.Net()
	if !net.Foreign {
		return nil
	}
	plain := func(g *Fixture) []Step {
		u := g.UE(0)
		return []Step{Establish(u, Plain(u, g)), Send(Up(u, ""), Down(u, ""))}
	}
	if why, err := b.tried(ctx, plain); err != nil || why != "" {
		if err == nil {
			err = fmt.Errorf("no packets pass in a plain session from gNB %s to host %s and back: %s. The UPF, "+
				"its routes or the addresses in the scenario may be wrong, so no case is run and nothing is held against the UPF",
				net.GNB[0], net.DN[0], why)
		}
		return err
	}
	b.doubts = map[netip.Addr]string{}
	for _, x := range []struct {
		addr  netip.Addr
		steps func(*Fixture) []Step
	}{
		{net.GNB[1], func(g *Fixture) []Step {
			u := g.UE(0)
			s := Plain(u, g)
			to := rules.Tunnel{TEID: u.Tunnel, Peer: g.GNB(1)}
			s.FARs[1].Tunnel = &to
			return []Step{Establish(u, s), Send(Down(u, "").Into(to))}
		}},
		{net.DN[1], func(g *Fixture) []Step {
			u := g.UE(0)
			return []Step{Establish(u, Plain(u, g)), Send(Up(u, "").Host(g.DN(1)), Down(u, "").Host(g.DN(1)))}
		}},
	} {
		if !x.addr.IsValid() {
			continue
		}
		why, err := b.tried(ctx, x.steps)
		if err != nil {
			return err
		}
		if why != "" {
			b.doubts[x.addr] = fmt.Sprintf("no packets pass through the UPF to %s, which upflab chose (%s)", x.addr, why)
		}
	}
	return nil
}

// tried runs steps as a case does, and says why they fail; "": they do not.
func (b *Bench) tried(ctx context.Context, steps func(*Fixture) []Step) (why string, err error) {
	for range Attempts {
		failed, err := b.attempt(ctx, &Case{Steps: steps}, "", &record.Case{})
		if err != nil || failed == nil {
			return "", err
		}
		why = strings.TrimSpace(failed.Error())
	}
	return why, nil
}
