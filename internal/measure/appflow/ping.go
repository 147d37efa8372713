package appflow

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/apps"
	"github.com/upflab/upflab/internal/lab/apps/ping"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// deadlineMore is how much longer than its flow ping may run on a machine that is busy.
const deadlineMore = 2 * time.Second

// ping pings the server from each UE of the flow at once.
func (e *Ends) ping(ctx context.Context, f scenario.Flow, out *flow) error {
	o := ping.Options{To: e.Server, Count: max(1, int(f.Duration.Duration/f.Interval.Duration)),
		Interval: f.Interval.Duration, Deadline: f.Duration.Duration + deadlineMore, Payload: e.octets(f)}
	ctx, cancel := context.WithTimeout(ctx, f.Duration.Duration+overtime)
	defer cancel()
	start := time.Now()
	var programs []*apps.Program
	defer func() {
		for _, p := range programs {
			p.Stop() // nothing where it has ended
		}
	}()
	for ue := range f.UEs {
		o.From, o.Device = e.UEs[ue], e.device(ue)
		p, err := e.UE.Start(ping.Args(e.Tools.Ping, o)...)
		if err != nil {
			return err
		}
		programs = append(programs, p)
	}
	var all []time.Duration
	for ue, p := range programs {
		r, err := answers(ctx, p)
		if err != nil {
			return fmt.Errorf("UE %d: %w", ue+1, err)
		}
		out.addPing(r)
		all = append(all, r.RTTs...)
		if ue == 0 {
			out.Series = rttSeries(r.RTTs, f.Interval.Duration)
		}
	}
	out.DurationS = time.Since(start).Seconds()
	out.RTT = times(all)
	if out.Packets > 0 {
		out.LossRatio = float64(out.Lost) / float64(out.Packets)
	}
	return nil
}

// answers waits for a ping. Its status says only whether all was well, as its output does.
func answers(ctx context.Context, p *apps.Program) (*ping.Report, error) {
	out, ended := p.Wait(ctx)
	r, err := ping.Parse(append(out.Stdout, out.Stderr...))
	if err != nil {
		if ended != nil {
			err = ended
		}
		return nil, err
	}
	return r, nil
}

func (f *flow) addPing(r *ping.Report) {
	f.Packets += r.Sent
	f.Lost += r.Sent - min(r.Sent, r.Received)
	f.Reordered += r.Reordered
	f.JitterNS = max(f.JitterNS, variation(r.RTTs))
	for _, words := range r.Errors {
		text := "ping: " + words
		if r.MTU > 0 {
			text += fmt.Sprintf(" (MTU %d)", r.MTU)
		}
		f.Reasons = append(f.Reasons, text)
	}
}

// rttSeries is the RTTs over time, the mean of each interval of the series. Lost pings
// are left out of it, so that times are those of the answers.
func rttSeries(all []time.Duration, every time.Duration) (points []record.AppPoint) {
	each := max(1, int(interval/every))
	for i := 0; i < len(all); i += each {
		part := all[i:min(i+each, len(all))]
		points = append(points,
			record.AppPoint{T: (time.Duration(i+len(part)) * every).Seconds(), RTTNS: times(part).Mean,
				JitterNS: uint64(variation(part))})
	}
	return points
}
