package sdcore

import (
	"context"
	"strings"
	"sync"

	"github.com/upflab/upflab/internal/lab/dut/sdcore/bess"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

// names are SD-Core's names of the reference points, by device.
type names map[string]string

func portNames(t site.Site) names {
	return names{t.Links().UPFN3.Name: "access", t.Links().UPFN6.Name: "core"}
}

// of replaces a device at the start of a module's name, which makes the name the same in
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
	bess    *bess.Client
	ports   names
	sockets *telemetry.PacketSockets // of bessd
	indices map[int]string           // devices
	sinks   map[string]bool
	feeders []string // modules that lead to a sink
}

// newCounters finds the sinks: which there are depends on SD-Core's version.
func newCounters(ctx context.Context, client *bess.Client, t site.Site) (*counters, error) {
	c := &counters{bess: client, ports: portNames(t), sinks: map[string]bool{},
		indices: map[int]string{t.Links().UPFN3.Index: t.Links().UPFN3.Name, t.Links().UPFN6.Index: t.Links().UPFN6.Name}}
	list, err := client.Modules(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.Class == "Sink" {
			c.sinks[m.Name] = true
		}
	}
	for _, m := range list {
		outputs, err := client.Outputs(ctx, m.Name)
		if err != nil {
			return nil, err
		}
		if len(c.sunk(outputs)) > 0 {
			c.feeders = append(c.feeders, m.Name)
		}
	}
	return c, nil
}

// sunk are the packets that went to sinks.
func (c *counters) sunk(outputs []bess.Output) (list []record.Count) {
	for _, o := range outputs {
		if c.sinks[o.Next] {
			list = append(list, record.Count{Place: record.Place("BESS: " + c.ports.of(o.Next)), Packets: o.Packets})
		}
	}
	return list
}

// drops asks for everything at once: BESS's worker leaves the threads that answer
// little of its CPU, and each waits for it.
func (c *counters) drops() ([]record.Count, error) {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	var questions []func() ([]record.Count, error)
	for _, module := range c.feeders {
		questions = append(questions, func() ([]record.Count, error) {
			outputs, err := c.bess.Outputs(ctx, module)
			return c.sunk(outputs), err
		})
	}
	for device := range c.ports {
		questions = append(questions, func() ([]record.Count, error) { return c.rings(ctx, device) })
	}
	questions = append(questions, func() ([]record.Count, error) { return c.silent(ctx) })
	list, err := together(questions)
	if err != nil {
		return nil, err
	}
	full, err := c.full()
	return merge(append(list, full...)), err
}

// full are the drops at the receive rings of packet sockets, which only later versions
// of DPDK's driver read. The kernel reports each drop once, to the first reader: it is
// the same place as rings'.
func (c *counters) full() (list []record.Count, err error) {
	lost, err := c.sockets.Lost()
	for index, n := range lost {
		list = append(list, record.Count{Place: record.Place(receiveRing(c.ports[c.indices[index]])), Packets: n})
	}
	return list, err
}

func receiveRing(point string) string { return "BESS: " + point + " receive ring full" }

// merge adds up what has one place: several modules may lead to a sink.
func merge(list []record.Count) (sums []record.Count) {
	at := map[record.Place]int{}
	for _, c := range list {
		i, ok := at[c.Place]
		if !ok {
			i = len(sums)
			at[c.Place] = i
			sums = append(sums, record.Count{Place: c.Place})
		}
		sums[i].Packets += c.Packets
	}
	return sums
}

func (c *counters) rings(ctx context.Context, device string) ([]record.Count, error) {
	s, err := c.bess.PortStats(ctx, port(device))
	return []record.Count{
		{Place: record.Place(receiveRing(c.ports[device])), Packets: s.In.Dropped},
		{Place: record.Place("BESS: " + c.ports[device] + " transmit ring full"), Packets: s.Out.Dropped},
	}, err
}

func (c *counters) silent(ctx context.Context) ([]record.Count, error) {
	n, err := c.bess.SilentDrops(ctx)
	return []record.Count{{Place: "BESS: gate without a module", Packets: n}}, err
}

// together runs the questions at the same time and gives their answers in order, or
// the first error.
func together(questions []func() ([]record.Count, error)) (list []record.Count, err error) {
	answers, errs := make([][]record.Count, len(questions)), make([]error, len(questions))
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
