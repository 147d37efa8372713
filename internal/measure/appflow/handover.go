package appflow

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/lab/apps"
	"github.com/upflab/upflab/internal/lab/apps/ping"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

const (
	// outageStep is the time between the pings that show an outage, stallStep the
	// interval of iperf3 that shows a stall.
	outageStep = 2 * time.Millisecond
	stallStep  = 100 * time.Millisecond
)

// handover is a change of the gNB in the middle of a flow.
type handover struct {
	ends   *Ends
	ctx    context.Context
	cancel context.CancelFunc
	pings  *apps.Program
	moved  chan struct{}
	took   time.Duration
	err    error
}

// startHandover lets the first UE ping and move at half time; nil where none is asked.
func (e *Ends) startHandover(ctx context.Context, f scenario.Flow) *handover {
	if !f.Handover {
		return nil
	}
	h := &handover{ends: e, moved: make(chan struct{})}
	h.ctx, h.cancel = context.WithTimeout(ctx, f.Duration.Duration+overtime)
	if h.err = e.canMove(); h.err == nil {
		o := ping.Options{To: e.Server, From: e.UEs[0], Interval: outageStep,
			Count: int(f.Duration.Duration / outageStep), Deadline: f.Duration.Duration}
		h.pings, h.err = e.UE.Start(ping.Args(e.Tools.Ping, o)...)
	}
	if h.err != nil {
		close(h.moved)
		return h
	}
	go h.move(f.Duration.Duration / 2)
	return h
}

func (e *Ends) canMove() error {
	if e.Handover == nil {
		return errors.New("there is no second gNB to move to")
	}
	return e.Tools.PingMissing
}

// move waits and moves the UE.
func (h *handover) move(after time.Duration) {
	defer close(h.moved)
	if h.err = wait.Pause(h.ctx, after); h.err == nil {
		h.took, h.err = h.ends.Handover(h.ctx, 0)
	}
}

// finish adds what happened to a flow's record.
func (h *handover) finish(f *flow) {
	if h == nil {
		return
	}
	defer h.cancel()
	<-h.moved
	f.Handover = &record.Handover{N4S: h.took.Seconds(), StallS: stalled(f.Series)}
	if h.pings != nil {
		defer h.pings.Stop()
		r, err := answers(h.ctx, h.pings)
		if err != nil {
			h.err = errors.Join(h.err, err)
		} else {
			f.Handover.Lost, f.Handover.Reordered = r.Sent-min(r.Sent, r.Received), r.Reordered
			f.Handover.OutageS = r.Silence.Seconds()
		}
	}
	if h.err != nil {
		f.doubt("handover: %v", h.err)
	}
}

// stalled is the longest time in which nothing arrived, s.
func stalled(series []record.AppPoint) (longest float64) {
	from := 0.0
	for _, p := range series {
		if p.GoodputBPS > 0 {
			from = p.T
		}
		longest = max(longest, p.T-from)
	}
	return longest
}
