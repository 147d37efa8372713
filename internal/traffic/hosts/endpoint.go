package hosts

import (
	"errors"
	"fmt"

	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/afxdp"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// endpoint is what sends and receives on a host.
type endpoint struct {
	port    *port
	sources []*running
	sinks   []traffic.Returner
	monitor *disturbance.Monitor // nil: what disturbs this host is not known
}

// openEndpoint opens the sources and sinks that a leader asks for.
func openEndpoint(q loading, at *port) (g *endpoint, err error) {
	if err := check(q, at); err != nil {
		return nil, err
	}
	list, err := q.Streams.unpack()
	if err != nil {
		return nil, err
	}
	g = &endpoint{port: at}
	config := xdp.Config{Buffers: q.Buffers}
	for i := range q.Flows {
		q.Flows[i].Streams = list
		config.Paths = append(config.Paths, xdp.Path{Flow: &q.Flows[i], Send: at.Port, Receive: at.Port})
	}
	if err := g.open(q, config); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

func (g *endpoint) open(q loading, config xdp.Config) error {
	for _, flow := range q.Sinks {
		back := xdp.Back{Flow: &q.Flows[1-flow], Lanes: q.Back.Lanes, Below: q.Back.Below}
		s, err := xdp.OpenSink(&q.Flows[flow], &back, g.port.Port, g.port.clock)
		if err != nil {
			return err
		}
		g.sinks = append(g.sinks, s)
	}
	for i, share := range q.Shares {
		s, err := g.openSource(q, config, i, share)
		if err != nil {
			return err
		}
		g.sources = append(g.sources, newRunning(s))
	}
	return g.watch()
}

// openSource opens the source of the i-th CPU that sends, by the engine that was asked for.
func (g *endpoint) openSource(q loading, config xdp.Config, i int, share traffic.Share) (traffic.Source, error) {
	if !q.AFXDP {
		return xdp.OpenSource(config, g.port.cpus[i], share, g.port.clock)
	}
	p := afxdp.SourceConfig{Sends: q.Sends, Port: g.port.Port, Queue: i, CPU: g.port.cpus[i], Share: share}
	for _, x := range config.Paths {
		p.Flows = append(p.Flows, x.Flow)
	}
	return afxdp.OpenSource(p, g.port.clock.Ahead)
}

// watch watches the CPUs that send for what disturbs them.
func (g *endpoint) watch() (err error) {
	if len(g.sources) == 0 {
		return nil
	}
	g.monitor, err = disturbance.Watch(disturbance.Config{Generators: g.port.cpus[:len(g.sources)]})
	var none *disturbance.NotAvailable
	if errors.As(err, &none) {
		return nil
	}
	return err
}

// check refuses what could not be sent.
func check(q loading, at *port) error {
	if len(q.Shares) > len(at.cpus) {
		return fmt.Errorf("%d sources for %d CPUs", len(q.Shares), len(at.cpus))
	}
	for _, f := range q.Flows {
		if len(f.Shapes) == 0 || len(f.Shapes) > traffic.MaxShapes {
			return fmt.Errorf("a flow of %d kinds of packet", len(f.Shapes))
		}
	}
	for _, flow := range q.Sinks {
		if flow < 0 || flow > 1 || len(q.Flows) != 2 {
			return fmt.Errorf("a sink of flow %d of %d", flow, len(q.Flows))
		}
	}
	if q.Back.Lanes < 0 || q.Back.Below < 0 {
		return fmt.Errorf("packets of sessions below %d modulo %d are to go back", q.Back.Below, q.Back.Lanes)
	}
	for _, d := range q.Shares {
		if d.Of < 1 || d.Of > sourcesMax || d.Source < 0 || d.Source >= d.Of {
			return fmt.Errorf("source %d of %d", d.Source, d.Of)
		}
	}
	return nil
}

// sourcesMax is how many CPUs of all hosts send at most.
const sourcesMax = 1024

// source gives one.
func (g *endpoint) source(o Of) (*running, error) {
	if o.Sink || o.N < 0 || o.N >= len(g.sources) {
		return nil, fmt.Errorf("there is no source %d", o.N)
	}
	return g.sources[o.N], nil
}

// sink gives one.
func (g *endpoint) sink(o Of) (traffic.Returner, error) {
	if !o.Sink || o.N < 0 || o.N >= len(g.sinks) {
		return nil, fmt.Errorf("there is no sink %d", o.N)
	}
	return g.sinks[o.N], nil
}

// part gives a source or a sink.
func (g *endpoint) part(o Of) (traffic.Windowed, error) {
	if o.Sink {
		return g.sink(o)
	}
	r, err := g.source(o)
	if err != nil {
		return nil, err
	}
	return r.source, nil
}

func (g *endpoint) close() error {
	if g == nil {
		return nil
	}
	var errs []error
	for _, r := range g.sources {
		r.stop()
		errs = append(errs, r.source.Close())
	}
	for _, s := range g.sinks {
		errs = append(errs, s.Close())
	}
	if g.monitor != nil {
		errs = append(errs, g.monitor.Close())
	}
	return errors.Join(errs...)
}
