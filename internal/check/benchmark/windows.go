package benchmark

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/engine"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// windowed are rates, packets/s, of trials at max: sent and received.
type windowed struct{ sent, received []float64 }

func (w *windowed) add(o *traffic.Outcome) {
	w.sent = append(w.sent, float64(o.Sent)/o.SendSeconds)
	w.received = append(w.received, float64(o.Flows[0].Received)/o.Flows[0].ReceiveSeconds)
}

// windows sends through wire at max, counting by windows and not, in turn: what it costs
// the generator and the sink.
func (b *Bench) windows(ctx context.Context) ([]Row, error) {
	s, err := scenario.Open("load-latency", nil, false)
	if err != nil {
		return nil, err
	}
	cpus, err := host.Place(s.CPU)
	if err != nil {
		return nil, err
	}
	var with, without windowed
	err = withTestbed(func(t site.Site) error {
		e, closing, err := wireEngine(s, t, cpus)
		if err != nil {
			return err
		}
		err = stats.InBlocks(rounds, orderSeed, func() error {
			return errors.Join(send(ctx, e, nil, &without), ctx.Err())
		}, func() error {
			return errors.Join(send(ctx, e, func(_, _ uint64) bool { return false }, &with), ctx.Err())
		})
		return errors.Join(err, closing())
	}, nil)
	if err != nil {
		return nil, err
	}
	return []Row{
		inTurn("sent", with.sent, without.sent),
		inTurn("received", with.received, without.received),
	}, nil
}

// wireEngine opens a wire, with its forwarding on the DUT's CPU, and an engine.
func wireEngine(s *scenario.Scenario, t site.Site, cpus record.Placement) (e traffic.Engine, closing func() error, err error) {
	w, err := wire.Open(t)
	if err != nil {
		return nil, nil, err
	}
	if cpus.Kind == host.Separate {
		if _, err := host.PinNAPI(&t.Links().UPFN3, cpus.DUT, true); err != nil {
			return nil, nil, errors.Join(err, w.Close())
		}
	}
	e, err = xdp.Open(xdp.Config{CPUs: []int{cpus.Generator}, Settle: 20 * time.Millisecond, Paths: []xdp.Path{{
		Flow: engine.WireFlow(s, t, record.Uplink), Send: t.Links().GNB, Receive: t.Links().DNN6,
	}}})
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return e, func() error { return errors.Join(e.Close(), w.Close()) }, nil
}

func send(ctx context.Context, e traffic.Engine, excluded func(from, to uint64) bool, rates *windowed) error {
	o, err := e.Run(ctx, traffic.Schedule{Duration: each, Excluded: excluded}, traffic.Marks{})
	if err == nil && o.Flows[0].Received == 0 {
		err = errors.New("nothing arrived through wire")
	}
	if err == nil {
		rates.add(&o)
	}
	return err
}

// inTurn compares rates that were measured in turn, pair by pair.
func inTurn(what string, with, without []float64) Row {
	ratio := ratioInTurn(with, without)
	return Row{
		What:   fmt.Sprintf("%s through wire at max: counted by windows / not, median of %d in turn", what, rounds),
		Value:  fmt.Sprintf("%.3f (%.2f and %.2f Mpps)", ratio, stats.Median(with)/1e6, stats.Median(without)/1e6),
		Target: ">= 0.97", OK: ratio >= 0.97,
	}
}
