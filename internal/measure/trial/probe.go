package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/engine"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// probes is how often each direction is tried: the first packets may be what
// makes a UPF look its neighbours up. Tries in which the generator sent nothing do not
// count for so long: the machine is busy then.
const (
	probes        = 3
	probesWithout = 10 * time.Second
)

// prober sends a few packets each way before anything is measured.
type prober struct {
	up     *bench.Up
	engine *engine.Engine
	meters *meters.Meters
	name   scenario.Engine // of the engine
}

// probe sends packets of the first size.
func (pr *prober) probe(ctx context.Context) error {
	for _, d := range ways(pr.up.Scenario) {
		if err := pr.probeDirection(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// EngineError is the error of probe packets that arrive by packet sockets, and not by the engine:
// the engine does not work with what it is attached to, of which the UPF is innocent.
type EngineError struct {
	Engine    string
	Direction record.Direction
	Sent      uint64 // by each
	Arrived   uint64 // of those by packet sockets
}

// Error implements error.
func (e *EngineError) Error() string {
	return e.Why() + ": it is not the UPF that loses them, but the link to it or from it: --set engine=af_packet measures with packet sockets"
}

// Why says what was seen.
func (e *EngineError) Why() string {
	return fmt.Sprintf("of %d %s packets by %s none came through the UPF, and %d of as many by packet sockets did",
		e.Sent, e.Direction, e.Engine, e.Arrived)
}

func (pr *prober) probeDirection(ctx context.Context, d record.Direction) error {
	p, err := pr.sendProbes(ctx, d)
	if err != nil || pr.passes(&p, d) {
		return err
	}
	if p.arrived(d) > 0 {
		return fmt.Errorf("of %d %s packets of both families %d arrived: the UPF accepted the sessions, and forwards one family alone, or few "+
			"packets; --set ue.family=ipv4 and --set ue.family=ipv6 each try one", p.outcome.Sent, d, p.arrived(d))
	}
	if p.outcome.Sent == 0 {
		return dut.Late(fmt.Errorf("the generator sent no packet on CPU %d for %v: is the machine that busy?",
			pr.up.Placement.Generator, p.took.Round(time.Second)))
	}
	now := pr.meters.Hops(d)
	err = fmt.Errorf("the UPF accepted the sessions but forwards no %s packets: %d sent, none arrived right%s%s",
		d, p.outcome.Sent, p.hops.SeenLast(now), pr.lastSeen(d, &p))
	if len(p.outcome.Flows[engine.FlowOf(d)].Wrong) == 0 {
		err = dut.Late(err)
	}
	if pr.up.Site().OwnsUPF() || pr.up.Hosts != nil || pr.up.TRex != nil {
		return err
	}
	return pr.compareEngines(ctx, d, p.outcome.Sent, err)
}

// compareEngines finds out whether it is the engine that loses packets on the way to a UPF of which
// nothing can be seen, by sending the same by packet sockets, as the kernel itself sends. accusation
// is what is said of the UPF if it does not forward these either. The deployment has their engine then.
func (pr *prober) compareEngines(ctx context.Context, d record.Direction, sent uint64, accusation error) error {
	const look = "whether they came to it, the counters of its N3 and N6 show (`ip -s link`). " +
		"A UPF that sends by XDP into a veth, also to a bridge, needs GRO or an XDP program at the other end of that veth"
	if pr.name == scenario.EngineAFPacket {
		return fmt.Errorf("%w; %s", accusation, look)
	}
	closed, err := pr.engine.UsePacketSockets()
	if closed != nil {
		return errors.Join(accusation, closed)
	}
	if err != nil {
		return fmt.Errorf("%w; that it is not the engine %s is not known: %w", accusation, pr.name, err)
	}
	p, err := pr.sendProbes(ctx, d)
	switch {
	case err != nil:
		return err
	case p.arrived(d) > 0:
		return &EngineError{string(pr.name), d, sent, p.arrived(d)}
	}
	return fmt.Errorf("%w; of %d by packet sockets none either; %s", accusation, p.outcome.Sent, look)
}

// probed is what came of probe packets.
type probed struct {
	outcome traffic.Outcome
	hops    meters.Hops // before the latest
	before  meters.Counters
	took    time.Duration
}

// passes reports whether a direction forwards: some packets arrived or, of UEs with two families, more than one family has.
func (pr *prober) passes(p *probed, d record.Direction) bool {
	if pr.up.Scenario.UE.Family == scenario.FamilyBoth {
		return 4*p.arrived(d) >= 3*p.outcome.Sent && p.outcome.Sent > 0
	}
	return p.arrived(d) > 0
}

func (p *probed) arrived(d record.Direction) uint64 {
	return p.outcome.Flows[engine.FlowOf(d)].Received
}

// sendProbes sends a few packets, until some arrive.
func (pr *prober) sendProbes(ctx context.Context, d record.Direction) (p probed, err error) {
	begun := time.Now()
	for tried := 0; tried < probes && ctx.Err() == nil; {
		p.hops = pr.meters.Hops(d)
		if p.before, err = pr.meters.Counters(d); err != nil {
			return p, err
		}
		p.outcome, err = pr.engine.Run(ctx,
			traffic.Schedule{PPS: 1000, Duration: 20 * time.Millisecond,
				Sequence: pr.engine.Packets(pr.up.Scenario.PacketSizes()[0], d)}, traffic.Marks{})
		if p.took = time.Since(begun); err != nil || pr.passes(&p, d) {
			return p, err
		}
		if p.outcome.Sent > 0 || p.took > probesWithout {
			tried++
		}
	}
	return p, ctx.Err()
}

// lastSeen is where the latest probe packets went, by what the counters changed by meanwhile.
func (pr *prober) lastSeen(d record.Direction, p *probed) string {
	o := &p.outcome.Flows[engine.FlowOf(d)]
	var words []string
	for _, w := range o.Wrong {
		words = append(words, fmt.Sprintf("%d arrived with wrong %s", w.Packets, w.Place))
	}
	if len(o.Specimen) > 0 {
		words = append(words, fmt.Sprintf("one began % x", o.Specimen[:min(len(o.Specimen), 64)]))
	}
	now, err := pr.meters.Counters(d)
	if err != nil {
		now = nil // what cannot be read is not shown
	}
	down := pr.meters.Down()
	words = append(words, meters.LostBetween(p.before, now, len(down) > 0)...)
	if len(words) == 0 {
		return meters.LinksDown(down)
	}
	return "; " + strings.Join(words, "; ") + meters.LinksDown(down)
}
