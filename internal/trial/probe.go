package trial

import (
	"context"
	"fmt"
	"strings"
	"time"

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
		o, err = dp.engine.Run(ctx, traffic.Schedule{PPS: 1000, Duration: 20 * time.Millisecond, Sequence: sequence(dp.flows, dp.Scenario.PacketSizes()[0], d)}, traffic.Marks{})
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
		return fmt.Errorf("the generator sent no packet on CPU %d for %v: is the machine that busy?", dp.Placement.Generator, time.Since(begun).Round(time.Second))
	}
	inNow, outNow := dp.hops(d)
	return fmt.Errorf("the UPF accepted the sessions but forwards no %s packets: %d sent, none arrived right%s%s",
		d, o.Sent, seenLast(in, inNow, out, outNow), dp.lastSeen(d, &o.Flows[flowOf(d)]))
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
