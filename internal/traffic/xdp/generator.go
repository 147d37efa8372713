package xdp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/traffic"
)

// generator sends from one CPU: one shape of one flow, or a mixture.
type generator struct {
	content
	objects generatorObjects
	buffers bool        // Config.Buffers
	port    netdev.Port // that it sends from
	core    core
	runs    atomic.Uint32 // the kernel's, beyond the first of each trial
	before  uint32        // of those, before this trial

	loaded    *collection
	constants map[string]any
	windowed  bool // the trial is counted by windows
	programs  windowedPrograms

	mu      sync.Mutex // of the schedule while it runs
	begun   bool       // when the trial begins is known
	running bool       // it may be extended
}

// content is what a generator sends, and has written into its program's tables.
type content struct {
	tables  *generatorObjects
	slot    traffic.Slot     // what it sends, when that is always the same
	shapes  []uint32         // of a mixture: where each flow's begin in the table
	kinds   []uint32         // likewise: how many families each of them is in there for
	streams [MaxFlows]uint32 // of each flow; of the only one, when it sends but one
	mask    uint32
	gnbs    []netip.Addr // of the streams, by their index in the program
	page    []byte       // what a fresh page holds: the longest frame, whole
}

// core is a CPU that sends, for which sessions, and by which clock.
type core struct {
	cpu   int
	share traffic.Share
	clock *Clock
}

// constants are those of a program that sends its share of a schedule, of flows by their
// index in the program.
func (c core) constants(flows ...int) map[string]any {
	var lanes, firsts [MaxFlows]uint32
	for i, flow := range flows {
		lanes[i], firsts[i] = uint32(c.share.LanesOf(flow)), uint32(c.share.FirstOf(flow))
	}
	return map[string]any{generatorVarSources: uint32(c.share.Of), generatorVarSource: uint32(c.share.Source), generatorVarLanes: lanes,
		generatorVarFirsts: firsts}
}

// live frames share a page with what the kernel keeps about them.
const liveFrameBytes = 3520

// MaxPayload is the longest UDP payload, octets, that is sent uplink: Ethernet 14 and
// inner IPv4 and UDP 28 come to it, and the tunnel. Of IPv6 it is 20 less, inside and outside each.
const MaxPayload = liveFrameBytes - 14 - 28 - traffic.TunnelBytes

// checkFrames reports shapes whose frames are too long for live frames.
func checkFrames(f *traffic.Flow) error {
	if err := checkGNBs(f); err != nil {
		return err
	}
	for _, s := range f.Kinds() {
		for i := range f.Shapes {
			if n := f.FrameBytes(s, i); n > liveFrameBytes {
				return fmt.Errorf("%s frames of %d octets: XDP live frames have at most %d; take another engine, or a payload of %d or less",
					f.Direction, n, liveFrameBytes, f.PayloadBytes(i)-n+liveFrameBytes)
			}
		}
	}
	_, err := ue6(f)
	return err
}

// open loads the program for the given constants and map sizes.
func (g *generator) open(constants map[string]any, entries map[string]uint32) error {
	spec, err := loadGenerator()
	if err != nil {
		return err
	}
	for name, n := range entries {
		spec.Maps[name].MaxEntries = n
	}
	if err := setAll(spec, constants); err != nil {
		return err
	}
	g.constants = constants
	if g.loaded, err = load(spec, &g.objects); err != nil {
		return loadError("generator", err)
	}
	return nil
}

// setPort makes a port the one that frames of a flow leave by. The kernel finds
// the device when the entry is written, in the namespace of the thread that writes it.
func (g *generator) setPort(flow int, port netdev.Port) error {
	return port.NS.Do(func() error {
		if err := g.objects.Port.Put(uint32(flow), uint32(port.Index)); err != nil {
			return fmt.Errorf("set the generator's port %s: %w", port.Name, err)
		}
		return nil
	})
}

// never is a start that does not come, nor what is due a while after it.
const never = uint64(1) << 62

// prepare writes the schedule of the next trial, but for when it begins: its
// start and end count from 0 until send begins it. Frames of the warm-up carry the
// number before the trial's.
func (g *generator) prepare(s traffic.Schedule, trial uint16) (generatorControl, error) {
	g.begun, g.running, g.before = false, false, g.runs.Load()
	c := generatorControl{Streams: g.streams, Mask: g.mask, Trial: trial, Gap: s.Gap(), Batch: batch(s, g.buffers)}
	if c.Batch > 1 {
		c.Hold = uint32(hold)
	}
	if err := g.setSequence(s.Sequence, &c); err != nil {
		return c, err
	}
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
		if s.Reshuffle {
			c.Reshuffle = 1
		}
	}
	if c.Warmup == 0 {
		c.Start, c.Quiet = c.Quiet, 0
	}
	if err := g.write(c, never); err != nil {
		return c, err
	}
	return c, g.reset()
}

// reset forgets the last trial.
func (g *generator) reset() error {
	p := generatorProgress{LatenessMin: ^uint64(0), Stride: traffic.Stride(0)}
	for flow := range p.Flows {
		p.Flows[flow].Source = uint32(g.core.share.FirstOf(flow))
	}
	if err := errors.Join(g.objects.St.Set(&p), g.objects.Ahead.Set(g.core.clock.Ahead())); err != nil {
		return fmt.Errorf("reset generator: %w", err)
	}
	return clearArray(g.objects.Lateness)
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
	run := startLive(g.program(c.Gap != 0), g.page, c.Batch, g.port, g.core.cpu, g.again)
	err := g.begin(ctx, c, run.ended)
	if err == nil {
		err = g.follow(ctx, c, s, m, run.ended)
	}
	g.silence(c)
	return errors.Join(err, run.stop())
}

func (g *generator) program(paced bool) *ebpf.Program {
	switch {
	case g.windowed && paced:
		return g.programs.Paced
	case g.windowed:
		return g.programs.Flood
	case paced:
		return g.objects.Paced
	}
	return g.objects.Flood
}

// again lets the program know that another of the kernel's runs begins: the schedule
// had paused in between.
func (g *generator) again() {
	g.objects.Run.Set(g.runs.Add(1)) // memory mapped: cannot fail
}

// shifted is how long the schedule stood still so far, ns.
func (g *generator) shifted() uint64 {
	if g.runs.Load() == g.before {
		return 0
	}
	return g.progress().Shifted
}

// Setting up a run takes the kernel some 30 ms, and on a busy machine ten times
// that. A schedule that did not wait for it would begin late.
const (
	setupLimit = 5 * time.Second
	lead       = 2 * time.Millisecond // from the schedule's writing to its first slot
)

// begin waits until the kernel calls the program and starts the schedule.
func (g *generator) begin(ctx context.Context, c *generatorControl, done <-chan error) error {
	limit := g.now() + uint64(setupLimit)
	for g.progress().Previous == 0 && len(done) == 0 {
		if g.now() > limit {
			return fmt.Errorf("the kernel does not run the generator within %v: is CPU %d taken by something else?", setupLimit, g.core.cpu)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	begin := g.now() + uint64(lead)
	c.Start += begin
	c.End += begin
	if err := g.write(*c, never); err != nil { // its end, while nothing is sent
		return err
	}
	return g.write(*c, c.Start)
}

// silence ends the schedule. Everything else stays: the program may be in the
// middle of a frame.
func (g *generator) silence(now *generatorControl) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = false
	c := *now
	c.Start, c.End, c.Slots, c.Warmup = never, 0, 0, 0
	g.objects.Ctl.Set(&c) // memory mapped: cannot fail
}

func (g *generator) progress() generatorProgress {
	var p generatorProgress
	g.objects.St.Get(&p) // memory mapped: cannot fail
	return p
}

// sent writes what was sent of each flow.
func (c *content) sent(p generatorProgress, flows []traffic.FlowOutcome) {
	if c.shapes == nil {
		f := &flows[c.slot.Flow]
		f.Sent, f.SentBytes = p.Sent, p.Sent*uint64(len(c.page))
		return
	}
	for i := range flows {
		flows[i].Sent, flows[i].SentBytes = p.Flows[i].Sent, p.Flows[i].Bytes
	}
}

// sequenceBits is SEQUENCE_BITS of generator.c.
const sequenceBits = 48

// sentBySession is how many packets of each session of a flow were sent in a trial.
func (c *content) sentBySession(flow uint8, sessions int, trial uint16) ([]uint64, error) {
	counts := make([]uint64, sessions)
	if c.shapes == nil && c.slot.Flow != flow {
		return counts, nil
	}
	streams, err := batchRead[generatorStream](c.tables.Streams)
	if err != nil {
		return nil, err
	}
	if c.shapes != nil {
		streams = streams[int(flow)*int(c.mask+1):]
	}
	for i := range counts {
		if streams[i].Numbered>>sequenceBits == uint64(trial) {
			counts[i] = streams[i].Numbered & (1<<sequenceBits - 1)
		}
	}
	return counts, nil
}

func (g *generator) close() error {
	g.loaded.close()
	return errors.Join(closeAll(g.programs.Paced, g.programs.Flood), g.objects.Close())
}
