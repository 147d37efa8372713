package xdp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/testbed"
	"github.com/upflab/upflab/internal/traffic"
)

// generator sends one shape of one flow from one CPU.
type generator struct {
	objects generatorObjects
	slot    traffic.Slot
	streams uint32
	mask    uint32
	page    []byte // what a fresh page holds: a whole frame
	port    testbed.Port
	cpu     int
}

func newGenerator(flow *traffic.Flow, shape int, port testbed.Port, cpu int) (*generator, error) {
	g := &generator{slot: traffic.Slot{Shape: uint16(shape)}, streams: uint32(len(flow.Streams)), port: port, cpu: cpu}
	spec, err := loadGenerator()
	if err != nil {
		return nil, err
	}
	g.mask = powerOfTwo(g.streams) - 1
	spec.Maps[generatorMapStreams].MaxEntries = g.mask + 1
	g.page = flow.Frame(flow.Streams[0], shape)
	var headers [12]uint64
	for i := range headers {
		headers[i] = binary.LittleEndian.Uint64(padded(g.page, i*8))
	}
	err = setAll(spec, map[string]any{generatorVarHeaders: headers, generatorVarUplink: flag(flow.Uplink())})
	if err != nil {
		return nil, err
	}
	if err := spec.LoadAndAssign(&g.objects, nil); err != nil {
		return nil, loadError("generator", err)
	}
	if err := g.fill(flow, shape); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// fill writes the sessions and the port into the program's maps.
func (g *generator) fill(flow *traffic.Flow, shape int) error {
	keys := make([]uint32, g.streams)
	values := make([]generatorStream, g.streams)
	for i, s := range flow.Streams {
		frame := flow.Frame(s, shape)
		keys[i] = uint32(i)
		values[i] = generatorStream{Ue: be32(s.UE), UdpSum: flow.UDPSum(s, i, shape)}
		inner := frame[14:]
		if flow.Uplink() {
			inner = frame[58:]
			values[i].Teid = swap32(s.UplinkTEID)
			values[i].OuterUdpCheck = binary.LittleEndian.Uint16(frame[40:])
		}
		values[i].InnerIpCheck = binary.LittleEndian.Uint16(inner[10:])
	}
	if _, err := g.objects.Streams.BatchUpdate(keys, values, nil); err != nil {
		return fmt.Errorf("write %d streams: %w", len(values), err)
	}
	return g.port.NS.Do(func() error {
		if err := g.objects.Port.Put(uint32(0), uint32(g.port.Index)); err != nil {
			return fmt.Errorf("set the generator's port %s: %w", g.port.Name, err)
		}
		return nil
	})
}

// never is a start that does not come.
const never = ^uint64(0)

// prepare writes the schedule of the next trial, but for when it begins: its
// start and end count from 0 until send begins it. Frames of the warm-up carry the
// number before the trial's.
func (g *generator) prepare(s traffic.Schedule, trial uint16) (generatorControl, error) {
	c := generatorControl{Streams: g.streams, Mask: g.mask, Trial: trial, Gap: s.Gap(), Batch: batch(s)}
	c.Quiet = uint64(patience)
	c.End = uint64(patience + s.Warmup + s.Duration)
	if s.Max() {
		c.Warmup = uint64(s.Warmup)
	} else {
		c.Warmup, c.Slots = s.Slots(s.Warmup), s.Slots(s.Duration)
		c.End = uint64(patience + s.Span(c.Warmup) + s.Span(c.Slots))
		if err := g.setArrivals(s.Arrivals, &c); err != nil {
			return c, err
		}
	}
	if c.Warmup == 0 {
		c.Start, c.Quiet = c.Quiet, 0
	}
	if err := g.write(c, never); err != nil {
		return c, err
	}
	if err := g.objects.St.Set(&generatorProgress{LatenessMin: ^uint64(0)}); err != nil {
		return c, fmt.Errorf("reset generator: %w", err)
	}
	return c, clearArray(g.objects.Lateness)
}

func (g *generator) write(c generatorControl, start uint64) error {
	c.Start = start
	if err := g.objects.Ctl.Set(&c); err != nil {
		return fmt.Errorf("write schedule: %w", err)
	}
	return nil
}

// setArrivals writes the arrival process.
func (g *generator) setArrivals(a traffic.Arrivals, c *generatorControl) error {
	if len(a) == 0 {
		return nil
	}
	if len(a) > traffic.MaxArrivals {
		return fmt.Errorf("an arrival process of %d gaps: at most %d can be sent", len(a), traffic.MaxArrivals)
	}
	c.Arrivals = uint32(len(a))
	keys := make([]uint32, len(a))
	for i := range keys {
		keys[i] = uint32(i)
	}
	if _, err := g.objects.Arrivals.BatchUpdate(keys, []uint32(a), nil); err != nil {
		return fmt.Errorf("write the arrival process: %w", err)
	}
	return nil
}

// send runs the program until the schedule is done, or ctx is, or the generator
// is so late that it will not catch up. It sets when the trial starts and ends.
func (g *generator) send(ctx context.Context, c *generatorControl, s traffic.Schedule, m traffic.Marks) error {
	program := g.objects.Paced
	if c.Gap == 0 {
		program = g.objects.Flood
	}
	run := startLive(program, g.page, c.Batch, g.port, g.cpu)
	err := g.begin(ctx, c, run.ended)
	if err == nil {
		err = g.follow(ctx, c, s, m, run.ended)
	}
	g.silence(*c)
	return errors.Join(err, run.stop())
}

// Setting up a run takes the kernel some 30 ms, and on a busy machine ten times
// that. A schedule that did not wait for it would begin late.
const (
	setupLimit = 5 * time.Second
	lead       = 2 * time.Millisecond // from the schedule's writing to its first slot
)

// begin waits until the kernel calls the program and starts the schedule.
func (g *generator) begin(ctx context.Context, c *generatorControl, done <-chan error) error {
	limit := monotonic() + uint64(setupLimit)
	for g.progress().Previous == 0 && len(done) == 0 {
		if monotonic() > limit {
			return fmt.Errorf("the kernel does not run the generator within %v: is CPU %d taken by something else?", setupLimit, g.cpu)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	begin := monotonic() + uint64(lead)
	c.Start += begin
	c.End += begin
	if err := g.write(*c, never); err != nil { // its end, while nothing is sent
		return err
	}
	return g.write(*c, c.Start)
}

// silence ends the schedule. Everything else stays: the program may be in the
// middle of a frame.
func (g *generator) silence(c generatorControl) {
	c.Start, c.End, c.Slots, c.Warmup = never, 0, 0, 0
	g.objects.Ctl.Set(&c) // memory mapped: cannot fail
}

func (g *generator) progress() generatorProgress {
	var p generatorProgress
	g.objects.St.Get(&p) // memory mapped: cannot fail
	return p
}

// sent writes what was sent of each flow.
func (g *generator) sent(p generatorProgress, flows []traffic.FlowOutcome) {
	f := &flows[g.slot.Flow]
	f.Sent, f.SentBytes = p.Sent, p.Sent*uint64(len(g.page))
}

func (g *generator) close() error { return g.objects.Close() }
