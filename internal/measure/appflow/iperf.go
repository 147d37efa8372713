package appflow

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/apps"
	"github.com/upflab/upflab/internal/lab/apps/iperf3"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// iperf runs iperf3 at all UEs of the flow at once, each against a server of its own.
func (e *Ends) iperf(ctx context.Context, f scenario.Flow, out *flow) error {
	o := e.options(f)
	var pairs []*pair
	defer func() {
		for _, p := range pairs {
			p.stop()
		}
	}()
	for ue := range f.UEs {
		p, err := e.serve(ctx, firstPort+uint16(ue), o.Interval)
		if err != nil {
			return err
		}
		pairs = append(pairs, p)
	}
	for ue, p := range pairs {
		o.Bind, o.Device, o.Port = e.UEs[ue], e.device(ue), p.port
		if err := p.start(e, o); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.Omit+o.Duration+overtime)
	defer cancel()
	var results []iperf3.Result
	for ue, p := range pairs {
		r, err := p.finish(ctx)
		if err != nil {
			return fmt.Errorf("UE %d: %w", ue+1, err)
		}
		results = append(results, r)
	}
	out.addIperf(results)
	return nil
}

// slowStart is how long TCP sends before its goodput counts. It is not left out of a handover,
// whose time is counted from the flow's begin.
const slowStart = time.Second

func (e *Ends) options(f scenario.Flow) iperf3.Options {
	o := iperf3.Options{Server: e.Server, UDP: f.Kind == scenario.FlowUDP, Reverse: f.Direction == record.Downlink, Streams: f.Streams,
		RateBPS: uint64(f.Rate) * 1e6, Duration: f.Duration.Round(time.Second), Interval: interval}
	if o.UDP {
		o.Length = e.octets(f)
	} else if !f.Handover {
		o.Omit = slowStart
	}
	if f.Handover {
		o.Interval = stallStep
	}
	return o
}

// pair is an iperf3 server and its client.
type pair struct {
	port           uint16
	server, client *apps.Program
}

// serve starts a server and waits until it listens.
func (e *Ends) serve(ctx context.Context, port uint16, interval time.Duration) (*pair, error) {
	at := netip.AddrPortFrom(e.Server, port)
	server, err := e.DN.Start(e.Tools.Iperf.Server(at, interval)...)
	if err != nil {
		return nil, err
	}
	p := &pair{port: port, server: server}
	if err := listening(ctx, server, port); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

func (p *pair) start(e *Ends, o iperf3.Options) (err error) {
	p.client, err = e.UE.Start(e.Tools.Iperf.Client(o)...)
	return err
}

// finish waits for the client and reads what it reports. Its status is in that, too.
func (p *pair) finish(ctx context.Context) (iperf3.Result, error) {
	out, ended := p.client.Wait(ctx)
	p.client = nil
	report, err := iperf3.Parse(out.Stdout)
	if err != nil {
		if len(out.Stdout) == 0 && ended != nil {
			err = ended // it has no report
		}
		return iperf3.Result{}, err
	}
	return report.Result(), nil
}

// stop ends what still runs.
func (p *pair) stop() {
	for _, program := range []*apps.Program{p.client, p.server} {
		if program != nil {
			program.Stop()
		}
	}
}

// addIperf adds the results of all UEs.
func (f *flow) addIperf(results []iperf3.Result) {
	var jitter time.Duration
	for _, r := range results {
		f.SentBPS += r.SentBPS
		f.GoodputBPS += r.GoodputBPS
		f.Retransmits += r.Retransmits
		f.Packets += r.Packets
		f.Lost += r.Lost
		f.Reordered += r.Reordered
		f.DurationS = max(f.DurationS, r.Seconds)
		f.CPU.Sender, f.CPU.Receiver = max(f.CPU.Sender, r.SenderCPU), max(f.CPU.Receiver, r.ReceiverCPU)
		f.StalledS = max(f.StalledS, r.Stalls)
		f.Congestion, f.MSS = r.Congestion, r.MSS
		jitter += r.Jitter / time.Duration(len(results))
		if len(results) > 1 {
			f.PerUE = append(f.PerUE, r.GoodputBPS)
		}
	}
	f.JitterNS, f.Fairness = float64(jitter), jain(f.PerUE)
	if f.Packets > 0 {
		f.LossRatio = float64(f.Lost) / float64(f.Packets)
	}
	f.Series = joinSeries(results)
	f.RTT = tcpRTT(results)
}

// jain is Jain's fairness index: 1 where all are equal, 1/n where one has it all; 0 of
// fewer than two.
func jain(values []float64) float64 {
	var sum, squares float64
	for _, v := range values {
		sum += v
		squares += v * v
	}
	if len(values) < 2 || squares == 0 {
		return 0
	}
	return sum * sum / (float64(len(values)) * squares)
}

// joinSeries adds the series of the UEs up, point by point.
func joinSeries(results []iperf3.Result) (points []record.AppPoint) {
	for _, r := range results {
		for i, p := range r.Series {
			if i == len(points) {
				points = append(points, record.AppPoint{})
			}
			to, n := &points[i], float64(len(results))
			to.T = max(to.T, p.EndS)
			to.GoodputBPS += p.GoodputBPS
			to.Retransmits += p.Retransmits
			to.CwndOctets += p.Cwnd
			to.RTTNS += uint64(float64(p.RTT) / n)
			to.JitterNS += uint64(float64(p.Jitter) / n)
			to.LossRatio += p.LossRatio / n
		}
	}
	return points
}

// tcpRTT is what the senders' kernels measured, a value for each interval.
func tcpRTT(results []iperf3.Result) *record.AppTime {
	var all []time.Duration
	for _, r := range results {
		for _, p := range r.Series {
			if p.RTT > 0 {
				all = append(all, p.RTT)
			}
		}
	}
	t := times(all)
	for _, r := range results {
		if t != nil && r.MinRTT > 0 {
			t.Min, t.Max = min(t.Min, uint64(r.MinRTT)), max(t.Max, uint64(r.MaxRTT))
		}
	}
	return t
}
