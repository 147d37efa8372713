package appflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Measure measures one flow. What goes wrong with the application is in the record: the
// flow is not valid then, with the reason. The error is the context's.
func (e *Ends) Measure(ctx context.Context, f scenario.Flow, repeat int) (record.AppFlow, error) {
	out := e.describe(f, repeat)
	beside, err := e.startBeside(ctx, f)
	if err != nil {
		out.doubt("beside it: %v", err)
	}
	w := e.watch()
	move, dropped := e.startHandover(ctx, f), socketDrops(e.receiver(f.Direction))
	packets := e.startOneWay(f)
	err = e.run(ctx, f, &out)
	end := time.Now()
	packets.finish(&out)
	move.finish(&out)
	out.SocketDrops = socketDrops(e.receiver(f.Direction)) - dropped
	w.stop(&out.AppFlow, end)
	if err != nil {
		out.doubt("%v", err)
	}
	if e.Check != nil {
		if gone := e.Check(); gone != nil {
			out.doubt("%v", gone)
		}
	}
	if beside != nil {
		if out.BesideBPS, err = beside.finish(); err != nil {
			out.doubt("beside it: %v", err)
		}
	}
	out.check()
	return out.AppFlow, ctx.Err()
}

// flow is a record in the making.
type flow struct{ record.AppFlow }

// doubt adds a reason why the flow is not valid.
func (f *flow) doubt(format string, args ...any) {
	f.Valid = false
	f.Reasons = append(f.Reasons, fmt.Sprintf(format, args...))
}

// describe is what is known before.
func (e *Ends) describe(f scenario.Flow, repeat int) flow {
	out := flow{record.AppFlow{Kind: f.Kind, Direction: f.Direction, UEs: f.UEs, Streams: f.Streams, Octets: e.octets(f),
		Family: e.family(), Repeat: repeat, Started: time.Now(), OfferedBPS: float64(f.Rate) * 1e6 * float64(f.UEs*f.Streams), Valid: true, Reasons: []string{}}}
	if !f.Alone() {
		out.Beside = f.Beside
	}
	switch f.Kind {
	case scenario.FlowHTTP:
		out.Direction = record.Downlink
	case scenario.FlowPing:
		out.Direction, out.OfferedBPS = record.Both, 0
	case scenario.FlowVoice, scenario.FlowXR:
		out.Direction, out.OfferedBPS = record.Both, videoRate(f)
	}
	return out
}

// octets is the payload of a packet, or the length of a page; 0: TCP has none.
func (e *Ends) octets(f scenario.Flow) int {
	switch {
	case f.Kind == scenario.FlowTCP, record.InFrames(f.Kind):
		return 0
	case f.Octets > 0:
		return f.Octets
	case f.Kind == scenario.FlowUDP:
		return e.udpOctets()
	case f.Kind == scenario.FlowPing:
		return 56
	}
	return defaultPage
}

var errUEs = errors.New("there are fewer UEs than the flow needs")

func (e *Ends) run(ctx context.Context, f scenario.Flow, out *flow) error {
	if f.Sessions() > len(e.UEs) {
		return errUEs
	}
	switch {
	case f.Kind == scenario.FlowHTTP:
		return e.pages(ctx, f, out)
	case record.InFrames(f.Kind):
		return e.frames(ctx, f, out)
	case f.Kind == scenario.FlowPing && e.Tools.PingMissing == nil:
		return e.ping(ctx, f, out)
	case f.Kind == scenario.FlowPing:
		return e.Tools.PingMissing
	case e.Tools.IperfMissing != nil:
		return e.Tools.IperfMissing
	}
	return e.iperf(ctx, f, out)
}

// check finds what makes a flow worthless although nothing failed.
func (f *flow) check() {
	if !f.Valid {
		return
	}
	switch {
	case f.Kind == record.FlowPing && f.Lost == f.Packets:
		f.doubt("none of %d pings was answered", f.Packets)
	case record.InFrames(f.Kind):
		for _, one := range f.Frames {
			if one.Whole == 0 {
				f.doubt("none of %d frames arrived %s", one.Sent, one.Direction)
			}
		}
	case f.Kind != record.FlowPing && f.GoodputBPS == 0:
		f.doubt("nothing arrived %s", f.Direction)
	case f.Kind == record.FlowTCP && f.StalledS >= f.DurationS/2 && f.StalledS > 0:
		f.doubt("TCP stalled: nothing arrived for %.1f of %.1f s", f.StalledS, f.DurationS)
	}
}
