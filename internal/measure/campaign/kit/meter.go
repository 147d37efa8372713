package kit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/measure/campaign/methods"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

// Meter makes trials, and repeats those that the machine disturbed. It knows what wire did, and how the machine was so far.
type Meter struct {
	*Book
	Budget TimeBudget                // of time
	wire   map[record.Key]trial.Wire // what wire did at its latest visit
	cores  coreLatency
	stalls stalls
}

// NewMeter makes a meter of a run whose roles have these CPUs.
func NewMeter(b *Book, p record.Placement) *Meter {
	return &Meter{Book: b, wire: map[record.Key]trial.Wire{}, cores: coreLatency{left: patienceFor(b.Plan.Scenario)},
		stalls: stalls{dut: p.DUT, generator: p.Senders()}}
}

// Trial runs the n-th trial of the run.
func (r *Meter) Trial(ctx context.Context, dp *trial.Deployment, n int, spec trial.Spec) (record.Trial, error) {
	r.Budget.Done = n - 1
	r.Observer.Begin(n, dp.Label, dp.Describe(spec))
	t, err := r.rerun(ctx, dp, spec)
	if err == nil {
		r.Observer.End(n, dp.Label, t)
	}
	return t, err
}

// rerun makes a trial, and repeats it when the host disturbed it, or the generator missed
// its load by little: on a shared machine most of that passes. It repeats no more when the run has
// taken as many times as long as it may. The last attempt is kept;
// earlier ones are listed.
func (r *Meter) rerun(ctx context.Context, dp *trial.Deployment, spec trial.Spec) (record.Trial, error) {
	var before []string
	for n := 1; ; n++ {
		t, err := r.Measure(ctx, dp, spec)
		why := r.passing(&t)
		if err != nil || why == "" || n == r.Plan.Scenario.Attempts || dp.Alive() != nil || !r.Budget.repeats(time.Now(), spec.Duration) {
			t.Reasons = append(t.Reasons, before...)
			return t, err
		}
		if len(t.Reasons) > 0 {
			before = append(before, "repeated: attempt "+strconv.Itoa(n)+" "+why+": "+t.Reasons[0])
		}
	}
}

// littleLess is how much less than intended a generator sends that could reach the load.
const littleLess = 0.03

// passing is what went wrong with a trial, if it may not the next time.
func (r *Meter) passing(t *record.Trial) string {
	switch {
	case t.Valid && r.cores.lost(t):
		return "was made with the CPUs apart"
	case t.Valid:
		return ""
	case t.LimitedBy == record.LimitHost:
		return "was disturbed"
	case t.LimitedBy == record.LimitGenerator && float64(t.TxPackets) > (1-littleLess)*float64(t.Intended):
		return "missed its load"
	}
	return ""
}

// Measure makes one trial, with what wire did at the same load at its latest visit; of wire's
// own trials it keeps that.
func (r *Meter) Measure(ctx context.Context, dp *trial.Deployment, spec trial.Spec) (record.Trial, error) {
	of := dp.Describe(spec)
	key := of.KeyAtRate()
	spec.Wire = r.wire[key]
	r.cores.await(ctx, dp.LineNS)
	spec.NearestNS = r.cores.leastNS
	spec.InTime = !r.Budget.extends(time.Now(), spec.Duration)
	t, err := dp.Measure(ctx, spec)
	if err != nil {
		return t, err
	}
	if dp.Endpoint.IsWire() {
		r.wire[key] = trial.Wire{RxPPS: t.RxPPS, LossRatio: t.FrameLossRatio}
		r.stalls.note(&t)
		return t, nil
	}
	if why := r.stalls.own(&t); why != "" {
		spec.Everything = why
		t, err = dp.Measure(ctx, spec)
	}
	return t, err
}

// stalls tell a kernel datapath's own stalls from those that the machine makes. What keeps a CPU
// with interrupts off, or in a kernel worker, counts as a disturbance: nothing on the CPU itself
// says whose it is. Two comparisons do: the machine takes the generator's CPUs, too, and it takes
// the UPF's CPUs in trials of wire as well.
type stalls struct {
	dut, generator []int   // CPUs
	wire           float64 // the highest share of the DUT's CPUs in a trial of wire's, 0..1
	known          bool    // there was one
}

const (
	// stallsLeast is the share of the time from which stalls matter: they then reach the 99.9th
	// percentile of latency, and a ring of 256 packets overflows in them.
	stallsLeast = 0.002
	// stallsOwn is how many times as much a UPF's trial has of them as wire's trials and as the
	// generator's CPUs: the host's own share differs by less from trial to trial.
	stallsOwn = 3
	// stallsCount is how many there have to be: one long pause of the host's proves nothing.
	stallsCount = 5
)

// note keeps what trials of wire have.
func (s *stalls) note(t *record.Trial) {
	if share, _ := stalled(t, s.dut); counted(t) {
		s.wire, s.known = max(s.wire, share), true
	}
}

// own says why the stalls of a UPF's trial are taken for its own, so that they have to count;
// "": they are not, or do not matter, or everything counts already, or there is nothing to compare them with.
func (s *stalls) own(t *record.Trial) string {
	if !s.known || !counted(t) || t.Excluded.Void ||
		slices.ContainsFunc(s.generator, func(cpu int) bool { return slices.Contains(s.dut, cpu) }) {
		return ""
	}
	share, n := stalled(t, s.dut)
	elsewhere, _ := stalled(t, s.generator)
	if share < stallsLeast || n < stallsCount || share < stallsOwn*s.wire || share < stallsOwn*elsewhere {
		return ""
	}
	return fmt.Sprintf("interrupts were off, or kernel workers ran, for %.2g %% of the time of the UPF's CPUs, "+
		"%.2g %% with wire and %.2g %% on the generator's: that is the UPF's own doing, so the trial was repeated with everything counted",
		100*share, 100*s.wire, 100*elsewhere)
}

// counted reports whether it is known what disturbed a trial.
func counted(t *record.Trial) bool { return t.Excluded != nil && t.Excluded.Of > 0 }

// stalled is the share of the time of CPUs, 0..1, in which interrupts were off (or the host had
// them) or a kernel worker ran while the run's work waited, and how often that was.
func stalled(t *record.Trial, cpus []int) (share float64, n uint64) {
	if t.Excluded == nil {
		return 0, 0
	}
	took := t.DurationS
	if !t.Excluded.Void {
		took += t.Excluded.Seconds
	}
	for _, c := range t.Excluded.Causes {
		worker := c.Cause == string(disturbance.Others) && strings.HasPrefix(c.Who, "kworker/")
		if slices.Contains(cpus, c.CPU) && (worker || c.Cause == string(disturbance.Paused)) {
			share += c.Seconds
			n += c.Count
		}
	}
	if took <= 0 || len(cpus) == 0 {
		return 0, 0
	}
	return share / took / float64(len(cpus)), n
}

const (
	// patience is how long a run waits, in all, for a hypervisor to move the CPUs together again.
	patience = 30 * time.Second
	// searching is the same for a run that searches: it ends in a minute and a half, and reports
	// that the CPUs shared no cache.
	searching = 5 * time.Second
	// glance is how often it looks meanwhile.
	glance = 200 * time.Millisecond
)

// coreLatency is the core-to-core latency between the generator's CPU and the UPF's. A hypervisor
// that moves one of them to another part of its machine makes everything slower that goes from
// one to the other, by a factor of two, for seconds to minutes.
type coreLatency struct {
	leastNS float64       // for a cache line there and back, so far; 0: not known
	left    time.Duration // of the run's patience
}

// patienceFor is that of a run of a scenario.
func patienceFor(s *scenario.Scenario) time.Duration {
	if methods.Directions(s) == nil {
		return patience
	}
	return searching
}

// saw keeps the least.
func (n *coreLatency) saw(lineNS float64) {
	if lineNS > 0 && (n.leastNS == 0 || lineNS < n.leastNS) {
		n.leastNS = lineNS
	}
}

// await waits until the CPUs are as near as they were, or the run has no patience left.
func (n *coreLatency) await(ctx context.Context, lineNS func() float64) {
	for ctx.Err() == nil && n.left > 0 {
		now := lineNS()
		n.saw(now)
		if !verdict.Apart(now, n.leastNS) {
			return
		}
		n.left -= glance
		_ = wait.Pause(ctx, glance)
	}
}

// lost reports whether a trial was made with a higher latency, and the run still has patience
// for another.
func (n *coreLatency) lost(t *record.Trial) bool {
	return n.left > 0 && t.Evidence != nil && t.Evidence.LineNS != nil && verdict.Apart(*t.Evidence.LineNS, n.leastNS)
}

// idleFor is how long a DUT is watched without traffic, unless trials are shorter.
const idleFor = time.Second

// WatchIdle takes a DUT's CPU without traffic: once before a visit's trials and once after them.
func (r *Meter) WatchIdle(ctx context.Context, dp *bench.Bench, to **float64) (err error) {
	r.Observer.Stage(dp.Label, "watching it idle")
	*to, err = dp.Idle(ctx, min(idleFor, r.Plan.Scenario.Duration.Duration))
	return err
}

// LatencyAt is one latency trial at a load.
func (r *Meter) LatencyAt(ctx context.Context, dp *trial.Deployment, d record.Direction, size scenario.PacketSize,
	load record.Load, repeat int) (record.Trial, error) {
	if err := wait.Pause(ctx, dp.Scenario.Search.Pause.Duration); err != nil {
		return record.Trial{}, err
	}
	return r.rerun(ctx, dp, trial.Spec{Kind: record.KindLatency, Direction: d, Size: size, Load: load,
		Duration: dp.Scenario.Latency.Duration.Duration, Repeat: repeat})
}
