package appflow

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/apps/media"
	"github.com/upflab/upflab/internal/lab/apps/oneway"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/socket/backlog"
	"github.com/upflab/upflab/internal/text/wait"
)

const (
	// frameBuffer is asked for in a socket that receives frames, octets.
	frameBuffer = 4 << 20
	// skippedMost is how many frames the sender may leave out, as a part of all.
	skippedMost = 0.01
)

// frames lets each UE of a flow have its calls, or its XR, all at once.
func (e *Ends) frames(ctx context.Context, f scenario.Flow, out *flow) error {
	if e.UE.Remote != nil {
		return errRemote
	}
	profile, known := media.Named(f.Kind)
	if !known {
		return fmt.Errorf("there is no traffic %q", f.Kind)
	}
	var all []*conversation
	defer func() {
		for _, c := range all {
			c.close()
		}
	}()
	start := time.Now()
	for i := range f.UEs * f.Streams {
		c, err := e.converse(profile, i%f.UEs, uint64(i), f)
		if c != nil {
			all = append(all, c)
		}
		if err != nil {
			return err
		}
	}
	_ = wait.Pause(ctx, f.Duration.Duration)
	out.DurationS = time.Since(start).Seconds()
	out.addFrames(all, profile.Budget)
	return nil
}

// conversation is the traffic of one UE, both ways.
type conversation struct {
	ue, dn   *net.UDPConn
	up, down *oneway.Stream
}

// converse starts one. What was opened is in it, if it fails, too.
func (e *Ends) converse(profile media.Profile, ue int, seed uint64, f scenario.Flow) (c *conversation, err error) {
	c = &conversation{}
	if c.ue, err = e.UE.Namespace.ListenUDPBy(e.device(ue), netip.AddrPortFrom(e.UEs[ue], 0)); err != nil {
		return c, err
	}
	if c.dn, err = e.DN.Namespace.ListenUDP(netip.AddrPortFrom(e.Server, 0)); err != nil {
		return c, err
	}
	for _, conn := range []*net.UDPConn{c.ue, c.dn} {
		backlog.Grow(conn, frameBuffer)
	}
	rate, octets := videoRate(f), e.udpOctets()
	if c.up, err = oneway.Start(c.ue, c.dn, oneway.Options{Octets: octets, Trial: uplinkTrial, Bursts: profile.Uplink(seed, rate)}); err != nil {
		return c, err
	}
	c.down, err = oneway.Start(c.dn, c.ue, oneway.Options{Octets: octets, Trial: downlinkTrial, Bursts: profile.Downlink(seed, rate)})
	return c, err
}

// videoRate is the bit rate of a flow's pictures, of one UE; 0: it has none.
func videoRate(f scenario.Flow) float64 {
	profile, _ := media.Named(f.Kind)
	if profile.Rate > 0 && f.Rate > 0 {
		return float64(f.Rate) * 1e6
	}
	return profile.Rate
}

func (c *conversation) close() error {
	var errs []error
	for _, s := range []*oneway.Stream{c.up, c.down} {
		if s != nil {
			s.Stop()
		}
	}
	for _, conn := range []*net.UDPConn{c.ue, c.dn} {
		if conn != nil {
			errs = append(errs, conn.Close())
		}
	}
	return errors.Join(errs...)
}

// addFrames ends the conversations, and records what became of their frames.
func (f *flow) addFrames(all []*conversation, budget time.Duration) {
	up, down := make([]*oneway.Report, len(all)), make([]*oneway.Report, len(all))
	var stopping sync.WaitGroup
	for i, c := range all {
		stopping.Go(func() { up[i] = c.up.Stop() })
		stopping.Go(func() { down[i] = c.down.Stop() })
	}
	stopping.Wait()
	for _, d := range []struct {
		direction record.Direction
		reports   []*oneway.Report
	}{{record.Uplink, up}, {record.Downlink, down}} {
		one := framesRecord(d.reports, budget)
		one.Direction = d.direction
		f.Frames = append(f.Frames, one)
		f.Packets, f.Lost = f.Packets+one.Packets, f.Lost+one.Lost
		f.JitterNS = max(f.JitterNS, one.JitterNS)
		full := uint64(0)
		for _, r := range d.reports {
			full += r.Full
		}
		if full > 0 {
			f.doubt("%d packets %s found upflab's own sockets full", full, d.direction)
		}
		if float64(one.Skipped) > skippedMost*float64(one.Sent+one.Skipped) {
			f.doubt("%d of %d frames %s were not sent: upflab got no CPU when they were due", one.Skipped, one.Sent+one.Skipped, d.direction)
		}
	}
	if f.Packets > 0 {
		f.LossRatio = float64(f.Lost) / float64(f.Packets)
	}
}

// framesRecord is the frames of a direction.
func framesRecord(reports []*oneway.Report, budget time.Duration) record.Frames {
	out := record.Frames{BudgetNS: uint64(budget)}
	var delays []time.Duration
	differences, neighbours := 0.0, 0
	for _, r := range reports {
		whole := wholeBursts(r)
		out.Sent, out.Skipped = out.Sent+uint64(len(r.Bursts)), out.Skipped+r.Skipped
		out.Packets, out.Lost = out.Packets+uint64(len(r.Sent)), out.Lost+r.Lost()
		delays = append(delays, whole...)
		if n := len(whole) - 1; n > 0 {
			differences, neighbours = differences+variation(whole)*float64(n), neighbours+n
		}
	}
	out.Whole, out.Delay = uint64(len(delays)), times(delays)
	out.JitterNS = differences / float64(max(1, neighbours))
	for _, d := range delays {
		if d <= budget {
			out.InTime++
		}
	}
	return out
}

// wholeBursts is how long each burst took of which every packet arrived, in the order they were sent.
func wholeBursts(r *oneway.Report) (took []time.Duration) {
	arrived := make(map[uint64]time.Duration, len(r.Packets))
	for _, p := range r.Packets {
		arrived[p.Sequence] = p.Sent + p.Latency
	}
	for _, b := range r.Bursts {
		last, whole := time.Duration(0), true
		for n := b.First; n < b.First+b.Packets; n++ {
			at, came := arrived[n]
			last, whole = max(last, at), whole && came
		}
		if whole {
			took = append(took, max(0, last-b.Began))
		}
	}
	return took
}
