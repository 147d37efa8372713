// Package control studies the control plane of a UPF: rates of procedures, latency over load, capacity, and traffic meanwhile.
package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/n4load"
	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// study is the control-plane study of one DUT.
type study struct {
	*kit.Book
	*kit.Testbed
	*kit.Meter
	target dut.Target
	out    *record.DUT
	cp     *record.ControlPlane
	s      *scenario.Scenario
	room   int // sessions that the DUT is configured for

	dp   *trial.Deployment // nil: it is not up
	page io.Closer
	load *n4load.Load
	mix  float64 // the highest rate of the mix; 0: not known
}

// Study studies a UPF. What it does not survive is written down, and the next part
// finds it started anew.
func Study(ctx context.Context, b *kit.Book, bed *kit.Testbed, m *kit.Meter, target dut.Target, out *record.DUT) (err error) {
	c := newStudy(b, bed, m, target, out)
	defer func() { err = errors.Join(err, c.down()) }()
	for _, part := range c.parts() {
		if err := c.part(ctx, part.name, part.do); err != nil {
			return err
		}
	}
	if err := c.down(); err != nil {
		return err
	}
	return c.scales(ctx)
}

// studyPart is what a DUT has to survive by itself.
type studyPart struct {
	name string
	do   func(context.Context) error
}

// parts are those that need the DUT with all its sessions: each procedure's rate is one, so
// that a DUT which does not survive one has the rates of the others.
func (c *study) parts() (list []studyPart) {
	if len(c.s.Control.Procedures) > 0 {
		list = append(list, studyPart{"finding the rate of the SMF itself", c.benchRate})
	}
	for _, p := range c.s.Control.Procedures {
		list = append(list, studyPart{"searching the rate of " + p, func(ctx context.Context) error { return c.rate(ctx, p) }})
	}
	return append(list, studyPart{"answer latency over load", c.curve}, studyPart{"user traffic during procedures", c.beside},
		studyPart{"sessions until refused", c.capacity})
}

// spare is the part of the sessions that a UPF of few takes that a study leaves it: one that
// does not know a repeated establishment for what it is makes another session of it.
const spare = 4

func newStudy(b *kit.Book, bed *kit.Testbed, m *kit.Meter, target dut.Target, out *record.DUT) *study {
	k := b.Plan.Scenario.Control
	s := *b.Plan.Scenario
	c := &study{Book: b, Testbed: bed, Meter: m, target: target, out: out, s: &s, cp: &record.ControlPlane{Bystanders: s.Sessions}}
	c.room = s.Sessions + max(k.Population, k.Capacity)
	c.cp.Sessions = k.Population
	if most := target.Info().MaxSessions; most > 0 && c.room > most {
		c.room = most
		c.cp.Sessions = min(k.Population, (most-s.Sessions)*(spare-1)/spare)
	}
	out.ControlPlane = c.cp
	return c
}

// part does a part of the study, with the DUT up.
func (c *study) part(ctx context.Context, name string, do func(context.Context) error) error {
	if err := c.up(ctx); err != nil {
		return err
	}
	err := do(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	died := c.dp.Alive()
	var silence *n4load.Silence
	switch {
	case died != nil:
		err = died
	case err == nil:
		return c.Save()
	case !errors.As(err, &silence):
		return c.dp.Explain(name, err, c.out)
	}
	c.cp.Incidents = append(c.cp.Incidents, record.N4Incident{During: name, Died: died != nil, Why: err.Error()})
	c.Observer.Noted(c.dp.Label, fmt.Sprintf("%s: %v; it is started anew", name, err))
	return errors.Join(c.down(), c.Save())
}

// up brings the DUT up with the bystanders, and a load of the other sessions.
func (c *study) up(ctx context.Context) (err error) {
	if c.dp != nil {
		return nil
	}
	config := c.Config(c.target)
	config.Scenario, config.Room = c.s, c.room
	if c.dp, err = c.OpenWith(ctx, config, c.out); err != nil {
		return err
	}
	if !c.dp.Endpoint.HasN4() {
		return fmt.Errorf("%s has no N4 to study", c.dp.Label)
	}
	page, closer, err := c.dp.Pager()
	if err != nil {
		return err
	}
	c.page = closer
	c.load, err = n4load.New(n4load.Config{Client: c.dp.SMF.Client(), Page: page, Sessions: c.dp.SMF.More(c.s.Sessions, c.cp.Sessions)})
	return err
}

func (c *study) down() error {
	if c.dp == nil {
		return nil
	}
	if c.load != nil {
		c.load.Close()
	}
	var err error
	if c.page != nil {
		err = c.page.Close()
	}
	err = errors.Join(err, c.dp.Close())
	c.dp.SMF.Note(c.out)
	c.dp, c.load, c.page = nil, nil, nil
	return err
}

// mixOf is the scenario's mix.
func mixOf(s *scenario.Scenario) (mix []n4load.Share) {
	for _, share := range s.Control.Mix {
		mix = append(mix, n4load.Share{Procedure: n4load.Procedure(share.Procedure), Weight: share.Weight})
	}
	return mix
}

// unpaged is a mix for a responder that reports no packets: service requests take the place
// of pagings.
func unpaged(mix []n4load.Share) []n4load.Share {
	mix = slices.Clone(mix)
	for i := range mix {
		if mix[i].Procedure == n4load.Paging {
			mix[i].Procedure = n4load.Active
		}
	}
	return mix
}

// mixName is the procedure that stands for the mix.
const mixName = "mix"

// sharesFor is what is offered of a procedure, or of the mix.
func sharesFor(s *scenario.Scenario, procedure string) []n4load.Share {
	if procedure == mixName {
		return mixOf(s)
	}
	return []n4load.Share{{Procedure: n4load.Procedure(procedure), Weight: 1}}
}
