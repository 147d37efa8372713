package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/gctune"
	"github.com/upflab/upflab/internal/machine/instructions"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/traffic/afpacket"
)

// Instructions are counted in batches, of which the first are left out: the kernel's caches fill, and tables grow.
const (
	packetsInBatch  = 32
	packetBatches   = 120
	packetUncounted = 20

	requestsInBatch  = 1
	requestBatches   = 150
	requestUncounted = 20
)

// perPacket is what counters came to for each packet; nil: nothing is known.
func perPacket(counts map[string]uint64, packets uint64) *record.Counters {
	if len(counts) == 0 || packets == 0 {
		return nil
	}
	of := func(name string) *float64 {
		n, known := counts[name]
		if !known {
			return nil
		}
		each := float64(n) / float64(packets)
		return &each
	}
	return &record.Counters{Instructions: of(telemetry.CounterInstructions), Cycles: of(telemetry.CounterCycles),
		CacheMisses: of(telemetry.CounterCacheMisses), BranchMisses: of(telemetry.CounterBranchMisses)}
}

// CountPackets counts the instructions that a packet takes, in spec's direction and of its size. bench is what it takes
// through wire; 0: this is wire.
func (dp *Deployment) CountPackets(ctx context.Context, spec Spec, bench float64) (record.Instructions, error) {
	t := dp.Describe(spec)
	x := record.Instructions{Direction: t.Direction, Repeat: t.Repeat, PacketSize: t.PacketSize, Sessions: t.Sessions, Started: time.Now(), Bench: bench}
	at, shape := dp.engine.Path(spec.Direction), dp.engine.Shape(spec.Direction, spec.Size.Payloads(spec.Direction)[0])
	l, err := afpacket.OpenLockstep(afpacket.Path{Flow: at.Flow, Send: at.Send, Receive: at.Arrive}, shape, packetsInBatch)
	if err != nil {
		return x, err
	}
	c := counting{batches: packetBatches, uncounted: packetUncounted, each: packetsInBatch}
	err = c.behindAll(ctx, dp.Died, func() (b batch, err error) {
		before, failed := dp.meters.ProgramRuns(spec.Direction)
		b.ticks, b.whole, err = l.Batch(instructions.Now)
		after, alsoFailed := dp.meters.ProgramRuns(spec.Direction)
		b.program = meters.NSPerRun(before, after)
		return b, errors.Join(failed, err, alsoFailed)
	})
	sent, o := l.Outcome()
	if err = errors.Join(err, l.Close()); err != nil {
		return x, err
	}
	x.TxPackets, x.RxPackets, x.WrongWhy = sent, o.Received, o.Wrong
	c.settle(&x)
	if x.RxPackets < x.TxPackets {
		x.Invalid(fmt.Sprintf("of %d packets, sent one at a time, %d arrived right", x.TxPackets, x.RxPackets))
	}
	return x, nil
}

// The procedures of N4 whose instructions are counted.
const (
	Establish = "establish"
	Modify    = "modify"
	Delete    = "delete"
)

// CountRequests counts the instructions of the UPF's processes for requests of N4: of sessions after those that the DUT
// has, each is established, modified and deleted.
func (dp *Deployment) CountRequests(ctx context.Context, repeat int) (list []record.Instructions, err error) {
	defer gctune.Pause(garbageMost)()
	wanted := dp.SMF.More(dp.Scenario.Sessions, requestsInBatch)
	var up []smf.Established
	steps := []struct {
		procedure string
		do        func(i int) error
	}{
		{Establish, func(i int) error {
			more, err := dp.SMF.Client().Establish(ctx, wanted[i:i+1])
			up = append(up, more...)
			return err
		}},
		{Modify, func(i int) error {
			_, err := dp.SMF.Client().Modify(ctx, up[i:i+1], func(e smf.Established) smf.Change {
				return smf.Change{GNB: e.GNB, TEID: e.DownlinkTEID + 1<<16}
			})
			return err
		}},
		{Delete, func(i int) error { return dp.SMF.Client().Delete(ctx, up[i:i+1]) }},
	}
	counts := make([]counting, len(steps))
	began := time.Now()
	for range requestUncounted + requestBatches {
		for n := range steps {
			took, err := dp.processTicks(func() error {
				for i := range wanted {
					if err := steps[n].do(i); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			counts[n].add(batch{ticks: took, whole: true})
		}
		up = up[:0]
	}
	for n, c := range counts {
		c.batches, c.uncounted, c.each = requestBatches, requestUncounted, requestsInBatch
		x := record.Instructions{Procedure: steps[n].procedure, Repeat: repeat, Started: began, Sessions: dp.Scenario.Sessions}
		c.settle(&x)
		list = append(list, x)
	}
	return list, nil
}

// processTicks is for how long the UPF's processes ran while something was done, by a clock that counts instructions.
func (dp *Deployment) processTicks(do func() error) (uint64, error) {
	ran := func() (sum time.Duration, err error) {
		for _, pid := range dp.Subject.Processes() {
			took, err := telemetry.ProcessTime(pid)
			if err != nil {
				return 0, err
			}
			sum += took
		}
		return sum, nil
	}
	before, err := ran()
	if err != nil {
		return 0, err
	}
	if err := do(); err != nil {
		return 0, err
	}
	after, err := ran()
	return uint64(max(0, after-before)), err
}

// batch is one of a figure.
type batch struct {
	ticks   uint64
	whole   bool    // its packets had all arrived at its end
	program float64 // ticks of the XDP program for a packet; 0: there is none
}

// counting are the batches of one figure.
type counting struct {
	batches, uncounted, each int
	all                      []batch
}

// behindAll makes the batches on a thread that has the CPU only while nothing else wants it.
func (c *counting) behindAll(ctx context.Context, ended func() error, next func() (batch, error)) error {
	defer gctune.Pause(garbageMost)()
	done := make(chan error, 1)
	threads.Once(func() {
		done <- func() error {
			if err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0); err != nil {
				return fmt.Errorf("let all other threads go first: %w", err)
			}
			for range c.uncounted + c.batches {
				b, err := next()
				if err := errors.Join(err, ctx.Err(), ended()); err != nil {
					return err
				}
				c.add(b)
			}
			return nil
		}()
	})
	return <-done
}

func (c *counting) add(b batch) { c.all = append(c.all, b) }

// settle gives the figure, where most batches are whole.
func (c *counting) settle(x *record.Instructions) {
	x.Valid, x.Reasons = true, []string{}
	var each, program []float64
	for _, b := range c.all[min(c.uncounted, len(c.all)):] {
		if b.whole {
			each = append(each, float64(b.ticks)/float64(c.each)-x.Bench)
			program = append(program, b.program)
		}
	}
	if 2*len(each) <= c.batches {
		x.Invalid(fmt.Sprintf("in %d of %d batches some packets arrived only when the next thing was done: the UPF forwards later than "+
			"packets come, by a timer or by polling, and what it takes for one cannot be told", c.batches-len(each), c.batches))
		return
	}
	x.Batches, x.Each, x.Mean, x.Program = len(each), typical(each), stats.Mean(each), typical(program)
}

// typical is the tenth percentile of batches: interrupts of timers and threads that wake up add to some, and nothing
// takes away.
func typical(batches []float64) float64 { return stats.Percentile(batches, 10) }
