package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// probes is how often each direction is tried: the first packets may be what
// makes a UPF look its neighbours up. Tries in which the generator sent nothing do not
// count for so long: the machine is busy then.
const (
	probes        = 3
	probesWithout = 10 * time.Second
)

// probe sends a few packets each way before anything is measured, of the first
// size.
func (dp *Deployment) probe(ctx context.Context) error {
	for _, d := range ways(dp.Scenario) {
		if err := dp.probeDirection(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

func (dp *Deployment) probeDirection(ctx context.Context, d record.Direction) error {
	var o traffic.Outcome
	var in, out hop
	begun := time.Now()
	for tried := 0; tried < probes && ctx.Err() == nil; {
		in, out = dp.hops(d)
		var err error
		o, err = dp.engine.Run(ctx,
			traffic.Schedule{PPS: 1000, Duration: 20 * time.Millisecond,
				Sequence: sequence(dp.flows, dp.Scenario.PacketSizes()[0], d)}, traffic.Marks{})
		if err != nil || o.Flows[flowOf(d)].Received > 0 {
			return err
		}
		if o.Sent > 0 || time.Since(begun) > probesWithout {
			tried++
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if o.Sent == 0 {
		return dut.Late(fmt.Errorf("the generator sent no packet on CPU %d for %v: is the machine that busy?",
			dp.Placement.Generator, time.Since(begun).Round(time.Second)))
	}
	inNow, outNow := dp.hops(d)
	err := fmt.Errorf("the UPF accepted the sessions but forwards no %s packets: %d sent, none arrived right%s%s",
		d, o.Sent, seenLast(in, inNow, out, outNow), dp.lastSeen(d, &o.Flows[flowOf(d)]))
	if len(o.Flows[flowOf(d)].Wrong) == 0 {
		err = dut.Late(err)
	}
	return err
}

// lastSeen is where the probe packets went, by the counters.
func (dp *Deployment) lastSeen(d record.Direction, o *traffic.FlowOutcome) string {
	var words []string
	for _, w := range o.Wrong {
		words = append(words, fmt.Sprintf("%d arrived with wrong %s", w.Packets, w.Place))
	}
	if len(o.Specimen) > 0 {
		words = append(words, fmt.Sprintf("one began % x", o.Specimen[:min(len(o.Specimen), 64)]))
	}
	places, _ := dp.counters(d) // what cannot be read is not shown
	for _, p := range places {
		if p.packets > 0 {
			words = append(words, fmt.Sprintf("%s: %d", p.place, p.packets))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; " + strings.Join(words, "; ")
}

// refused adds to the UPF's refusal of a session how many it took before it, and
// what to set then.
func refused(err error, accepted, wanted int) error {
	var r *smf.RejectedError
	if !errors.As(err, &r) || r.Session == nil || accepted == 0 {
		return err
	}
	return fmt.Errorf("%w; it had taken %d of %d sessions: set sessions=%d or less, or give the UPF room for more",
		err, accepted, wanted, accepted)
}

// hop is a port of the UPF and how many packets crossed it, whatever they were.
type hop struct {
	name    string
	packets uint64
}

// hops counts a direction's packets into the UPF and out of it.
func (mt *meters) hops(d record.Direction) (in, out hop) {
	l := mt.site.Links()
	if !l.UPFN3.Readable() {
		return in, out
	}
	n3, n6 := hop{name: "N3"}, hop{name: "N6"}
	count := func(h *hop, p netdev.Port, received bool) {
		rx, tx, err := p.Packets()
		if h.packets = tx; received {
			h.packets = rx
		}
		if err != nil {
			h.packets = 0 // what cannot be read is not shown
		}
	}
	count(&n3, l.UPFN3, d == record.Uplink)
	count(&n6, l.UPFN6, d != record.Uplink)
	if d == record.Uplink {
		return n3, n6
	}
	return n6, n3
}

// seenLast says at which port of the UPF packets were seen last. Between two
// readings of hops there are so many.
func seenLast(inBefore, inAfter, outBefore, outAfter hop) string {
	in, out := inAfter.packets-inBefore.packets, outAfter.packets-outBefore.packets
	switch {
	case inAfter.name == "":
		return "" // a UPF elsewhere
	case in == 0:
		return fmt.Sprintf("; they never came to the UPF's %s", inAfter.name)
	case out == 0:
		return fmt.Sprintf("; they were last seen at the UPF's %s, which received %d; its %s sent none", inAfter.name, in, outAfter.name)
	}
	return fmt.Sprintf("; the UPF's %s received %d and its %s sent %d, so what it sends is wrong or goes elsewhere",
		inAfter.name, in, outAfter.name, out)
}
