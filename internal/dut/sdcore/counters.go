package sdcore

import (
	"context"
	"strings"
	"sync"

	"github.com/upflab/upflab/internal/dut/sdcore/bess"
	"github.com/upflab/upflab/internal/result"
	"github.com/upflab/upflab/internal/testbed"
)

// names are SD-Core's of the reference points, by the devices that stand for them.
type names map[string]string

func portNames(t *testbed.Testbed) names {
	return names{t.UPFN3.Name: "access", t.UPFN6.Name: "core"}
}

// of replaces a device at the start of a module's name, so that it is the same in
// every run.
func (n names) of(module string) string {
	for device, point := range n {
		if rest, ok := strings.CutPrefix(module, device); ok {
			return point + rest
		}
	}
	return module
}

// counters are where BESS counts packets that it does not send: the sinks of the
// pipeline, each the end of one reason, the ports' rings, and gates with nothing
// behind them. Each packet ends in one of them.
type counters struct {
	bess  *bess.Client
	ports names
	sinks []string // modules
}

// newCounters finds the sinks: which there are depends on SD-Core's version.
func newCounters(ctx context.Context, client *bess.Client, ports names) (*counters, error) {
	c := &counters{bess: client, ports: ports}
	list, err := client.Modules(ctx)
	for _, m := range list {
		if m.Class == "Sink" {
			c.sinks = append(c.sinks, m.Name)
		}
	}
	return c, err
}

// drops asks for everything at once: BESS's worker leaves the threads that answer
// little of its CPU, and each waits for it.
func (c *counters) drops() ([]result.Count, error) {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	var questions []func() ([]result.Count, error)
	for _, module := range c.sinks {
		questions = append(questions, func() ([]result.Count, error) { return c.sink(ctx, module) })
	}
	for device := range c.ports {
		questions = append(questions, func() ([]result.Count, error) { return c.rings(ctx, device) })
	}
	questions = append(questions, func() ([]result.Count, error) { return c.silent(ctx) })
	return together(questions)
}

func (c *counters) sink(ctx context.Context, module string) ([]result.Count, error) {
	g, err := c.bess.Gates(ctx, module)
	return []result.Count{{Place: "BESS: " + c.ports.of(module), Packets: g.In}}, err
}

func (c *counters) rings(ctx context.Context, device string) ([]result.Count, error) {
	s, err := c.bess.PortStats(ctx, port(device))
	at := "BESS: " + c.ports[device]
	return []result.Count{
		{Place: at + " receive ring full", Packets: s.In.Dropped},
		{Place: at + " transmit ring full", Packets: s.Out.Dropped},
	}, err
}

func (c *counters) silent(ctx context.Context) ([]result.Count, error) {
	n, err := c.bess.SilentDrops(ctx)
	return []result.Count{{Place: "BESS: gate without a module", Packets: n}}, err
}

// together runs the questions at the same time and gives their answers in order, or
// the first error.
func together(questions []func() ([]result.Count, error)) (list []result.Count, err error) {
	answers, errs := make([][]result.Count, len(questions)), make([]error, len(questions))
	var all sync.WaitGroup
	for i, ask := range questions {
		all.Go(func() { answers[i], errs[i] = ask() })
	}
	all.Wait()
	for i := range questions {
		if errs[i] != nil {
			return nil, errs[i]
		}
		list = append(list, answers[i]...)
	}
	return list, nil
}
