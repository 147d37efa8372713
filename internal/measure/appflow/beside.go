package appflow

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/apps/iperf3"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

// settleBeside is how long the traffic beside a flow runs before and after it.
const settleBeside = time.Second

// beside is what another UE does while a flow is measured.
type beside struct {
	*pair
	ctx    context.Context
	cancel context.CancelFunc
}

// startBeside starts it with the first UE that the flow leaves; nil where there is none.
func (e *Ends) startBeside(ctx context.Context, f scenario.Flow) (*beside, error) {
	if f.Alone() {
		return nil, nil
	}
	if f.Sessions() > len(e.UEs) {
		return nil, errUEs
	}
	if e.Tools.IperfMissing != nil {
		return nil, e.Tools.IperfMissing
	}
	kind, direction, _ := strings.Cut(f.Beside, "-")
	o := e.options(scenario.Flow{Kind: kind, Direction: record.Direction(direction), Streams: 1, Duration: f.Duration})
	o.Duration, o.Bind, o.Device, o.Port = o.Duration+slowStart+2*settleBeside, e.UEs[f.UEs], e.device(f.UEs), besidePort
	p, err := e.serve(ctx, besidePort, o.Interval)
	if err != nil {
		return nil, err
	}
	if err := p.start(e, o); err != nil {
		p.stop()
		return nil, err
	}
	b := &beside{pair: p}
	b.ctx, b.cancel = context.WithTimeout(ctx, o.Omit+o.Duration+overtime)
	_ = wait.Pause(ctx, settleBeside)
	return b, nil
}

// finish gives its goodput, bits/s.
func (b *beside) finish() (float64, error) {
	defer b.stop()
	defer b.cancel()
	var r iperf3.Result
	r, err := b.pair.finish(b.ctx)
	if err == nil && r.GoodputBPS == 0 {
		err = errors.New("nothing arrived of it")
	}
	return r.GoodputBPS, err
}
