package xdp

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/traffic"
)

// Redirect compares the generator, unpaced, with a program that only redirects
// frames of the same size and writes nothing: how much the generator's own work
// costs. Both send from one CPU into one port.
type Redirect struct {
	generator *generator
	trial     uint16
}

// OpenRedirect loads both programs. Close it when done.
func OpenRedirect(flow *traffic.Flow, port netdev.Port, cpu int) (*Redirect, error) {
	g, err := newGenerator(flow, 0, port, core{cpu: cpu})
	if err != nil {
		return nil, err
	}
	return &Redirect{generator: g}, nil
}

// Generator sends unpaced for d and gives the rate, packets/s.
func (r *Redirect) Generator(d time.Duration) (float64, error) {
	r.trial += 2
	schedule := traffic.Schedule{Duration: d}
	c, err := r.generator.prepare(schedule, r.trial)
	if err != nil {
		return 0, err
	}
	if err := r.generator.send(context.Background(), &c, schedule, traffic.Marks{}); err != nil {
		return 0, err
	}
	p := r.generator.progress()
	return float64(p.Sent) / (float64(p.Last-p.First) / 1e9), nil
}

// startDelay is more than setting up a run takes.
const startDelay = 80 * time.Millisecond

// Bare redirects for d and gives the rate, packets/s, as the port counted it.
func (r *Redirect) Bare(d time.Duration) (float64, error) {
	g := r.generator
	run := startLive(g.objects.Bare, g.page, batch(traffic.Schedule{}, false), g.port, g.core.cpu, func() {})
	time.Sleep(startDelay)
	before, start, err := g.attempts()
	if err != nil {
		run.stop()
		return 0, err
	}
	time.Sleep(d) // the window that is measured
	after, end, err := g.attempts()
	if stopped := run.stop(); stopped != nil {
		return 0, stopped
	}
	return float64(after-before) / end.Sub(start).Seconds(), err
}

// attempts is how many frames were handed to the port so far.
func (g *generator) attempts() (n uint64, at time.Time, err error) {
	stats, err := g.port.Stats()
	return stats["tx_queue_0_xdp_xmit"] + stats["tx_queue_0_xdp_xmit_errors"], time.Now(), err
}

// Close frees the programs.
func (r *Redirect) Close() error { return r.generator.close() }
