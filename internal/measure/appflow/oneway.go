package appflow

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/apps/oneway"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

const (
	// oneWayPort is the port of both ends of the one-way packets, oneWayOctets their payload.
	oneWayPort   = 8481
	oneWayOctets = 128
	// uplinkTrial and downlinkTrial tell the two directions apart.
	uplinkTrial, downlinkTrial = 2, 4
)

// oneWay is packets of upflab's own, both ways, while a flow is measured.
type oneWay struct {
	ue, dn   *net.UDPConn
	up, down *oneway.Stream
	err      error
}

// startOneWay starts them from and to the first UE; nil where none are asked for.
func (e *Ends) startOneWay(f scenario.Flow) *oneWay {
	if f.OneWay == 0 {
		return nil
	}
	w := &oneWay{}
	if w.err = w.start(e, time.Second/time.Duration(f.OneWay)); w.err != nil {
		w.close()
	}
	return w
}

func (w *oneWay) start(e *Ends, every time.Duration) (err error) {
	if len(e.UEs) == 0 {
		return errUEs
	}
	if e.UE.Remote != nil {
		return errRemote
	}
	if w.ue, err = e.UE.Namespace.ListenUDPBy(e.device(0), netip.AddrPortFrom(e.UEs[0], oneWayPort)); err != nil {
		return err
	}
	if w.dn, err = e.DN.Namespace.ListenUDP(netip.AddrPortFrom(e.Server, oneWayPort)); err != nil {
		return err
	}
	o := oneway.Options{Every: every, Octets: oneWayOctets}
	o.Trial = uplinkTrial
	if w.up, err = oneway.Start(w.ue, w.dn, o); err != nil {
		return err
	}
	o.Trial = downlinkTrial
	w.down, err = oneway.Start(w.dn, w.ue, o)
	return err
}

// finish adds what became of them to a flow's record.
func (w *oneWay) finish(f *flow) {
	if w == nil {
		return
	}
	if w.err != nil {
		f.Reasons = append(f.Reasons, fmt.Sprintf("no one-way latency: %v", w.err))
		return
	}
	var up, down *oneway.Report
	var stopping sync.WaitGroup
	stopping.Go(func() { up = w.up.Stop() })
	stopping.Go(func() { down = w.down.Stop() })
	stopping.Wait()
	f.OneWay = append(f.OneWay, oneWayRecord(up, record.Uplink), oneWayRecord(down, record.Downlink))
	if err := w.close(); err != nil {
		f.Reasons = append(f.Reasons, fmt.Sprintf("close the sockets of one-way latency: %v", err))
	}
}

func (w *oneWay) close() error {
	for _, s := range []*oneway.Stream{w.up, w.down} {
		if s != nil {
			s.Stop()
		}
	}
	var errs []error
	for _, c := range []*net.UDPConn{w.ue, w.dn} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

func oneWayRecord(r *oneway.Report, d record.Direction) record.OneWay {
	out := record.OneWay{Direction: d, Sent: uint64(len(r.Sent)), Lost: r.Lost(), Reordered: r.Reordered, Copies: r.Duplicates}
	if out.Sent > 0 {
		out.LossRatio = float64(out.Lost) / float64(out.Sent)
	}
	var all []time.Duration
	for _, p := range r.Packets {
		all = append(all, p.Latency)
	}
	out.Latency, out.JitterNS = times(all), variation(all)
	out.Series = oneWaySeries(r)
	return out
}

// oneWaySeries puts each packet where it was sent.
func oneWaySeries(r *oneway.Report) (points []record.OneWayPoint) {
	if len(r.Sent) == 0 {
		return nil
	}
	n := int(r.Sent[len(r.Sent)-1]/interval) + 1
	sent, arrived := make([]int, n), make([][]time.Duration, n)
	for _, at := range r.Sent {
		sent[int(at/interval)]++
	}
	for _, p := range r.Packets {
		if i := int(p.Sent / interval); i < n {
			arrived[i] = append(arrived[i], p.Latency)
		}
	}
	for i, latencies := range arrived {
		if sent[i] == 0 {
			continue
		}
		p := record.OneWayPoint{T: (time.Duration(i+1) * interval).Seconds(), JitterNS: uint64(variation(latencies)),
			LossRatio: max(0, 1-float64(len(latencies))/float64(sent[i]))}
		if t := times(latencies); t != nil {
			p.P50, p.Max = t.P50, t.Max
		}
		points = append(points, p)
	}
	return points
}
