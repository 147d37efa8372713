package p4

import (
	"context"
	"errors"

	"github.com/upflab/upflab/internal/lab/dut/p4/p4rt"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

// program is a running switch with pfcpiface.
type program struct {
	*process.Group
	counters counters
}

// counters are where packets get lost in BMv2: before it, in the rings of its packet
// sockets, and between the counter of packets that matched a rule and that of those
// it sends. What matches no rule UP4 does not count.
type counters struct {
	bmv2      *p4rt.Switch
	sockets   *telemetry.PacketSockets
	pre, post uint32
	ports     map[int]string // by the device's index
}

// learn finds what there is to count. On error nothing runs any more.
func learn(s starter, group *process.Group) (*program, error) {
	t := s.env.Site
	p := &program{group, counters{
		bmv2: s.bmv2, ports: map[int]string{t.Links().UPFN3.Index: "N3", t.Links().UPFN6.Index: "N6"},
	}}
	c := &p.counters
	var err, failed error
	c.pre, err = p4rt.CounterID(s.program.Info, preQoS)
	c.post, failed = p4rt.CounterID(s.program.Info, postQoS)
	if err = errors.Join(err, failed); err == nil {
		c.sockets, err = telemetry.OpenPacketSockets(group.PID("simple_switch_grpc"))
	}
	if err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// Stop closes what upflab counts by, and ends both programs.
func (p *program) Stop() error {
	return errors.Join(p.counters.sockets.Close(), p.counters.bmv2.Close(), p.Group.Stop())
}

func (c *counters) drops() (list []record.Count, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	lost, err := c.sockets.Lost()
	if err != nil {
		return nil, err
	}
	for index, n := range lost {
		list = append(list, record.Count{Place: record.Place("BMv2: " + c.ports[index] + " receive ring full"), Packets: n})
	}
	pre, err := c.bmv2.Packets(ctx, c.pre)
	if err != nil {
		return nil, err
	}
	post, err := c.bmv2.Packets(ctx, c.post)
	if err != nil {
		return nil, err
	}
	return append(list, record.Count{Place: "BMv2: matched and not sent (egress queue full, meter, gate or TTL)",
		Packets: between(pre, post)}), nil
}

// between is what was counted before and not behind. A packet without a rule is
// counted behind only, in the first cell.
func between(pre, post map[int64]uint64) (sum uint64) {
	for cell, n := range pre {
		if behind := post[cell]; n > behind {
			sum += n - behind
		}
	}
	return sum
}
