package appflow

import (
	"sync"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

// watcher reads CPU times while a flow runs, and an idle time before and after it.
type watcher struct {
	take    func() (telemetry.Sample, error) // of the UPF
	pids    []int                            // of the run's programs; none: they are not known
	start   time.Time                        // of the flow
	quit    chan struct{}
	done    sync.WaitGroup
	samples []sample
	ran     func() map[int]telemetry.Thread // nil: no RAN is seen
	before  map[int]telemetry.Thread
}

type sample struct {
	usage telemetry.Sample
	cores map[int]telemetry.Core
	ours  time.Duration // of the run's programs, outside the kernel; 0: not known
	// alien is that of all other programs, outside the kernel; -1: not all can be seen.
	alien time.Duration
}

// idleTime is how long the UPF is watched before and after a flow.
const idleTime = time.Second

// watch begins to read.
func (e *Ends) watch() *watcher {
	w := &watcher{take: e.Usage, pids: e.PIDs, ran: e.RAN, quit: make(chan struct{})}
	w.done.Go(w.run)
	time.Sleep(idleTime)
	if w.start = time.Now(); e.RAN != nil {
		w.before = e.RAN()
	}
	return w
}

func (w *watcher) run() {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		w.sample()
		select {
		case <-tick.C:
		case <-w.quit:
			w.sample()
			return
		}
	}
}

// sample adds one; what cannot be read leaves a gap.
func (w *watcher) sample() {
	usage, err := w.take()
	if err != nil {
		return
	}
	cores, err := telemetry.Cores()
	if err != nil {
		return
	}
	s := sample{usage: usage, cores: cores, alien: -1}
	if len(w.pids) > 0 {
		if s.ours, err = host.UserTime(w.pids...); err != nil {
			return
		}
		alien, known, err := host.OtherUserTime(w.pids...)
		if err != nil {
			return
		}
		if known {
			s.alien = alien
		}
	}
	w.samples = append(w.samples, s)
}

// stop ends it and fills the CPU figures of a flow in that ended at a time.
func (w *watcher) stop(f *record.AppFlow, end time.Time) {
	if w.ran != nil {
		f.CPU.RAN = busiest(w.before, w.ran(), time.Since(w.start))
	}
	time.Sleep(idleTime)
	close(w.quit)
	w.done.Wait()
	var first, last *sample
	for i := range w.samples {
		s := &w.samples[i]
		if i > 0 {
			f.CPUSeries = append(f.CPUSeries, point(w.samples[i-1], *s, w.start))
		}
		if at := s.usage.At; at.Before(w.start) || first == nil {
			first = s
		}
		if s.usage.At.Before(end) || last == nil {
			last = s
		}
	}
	if first == nil || first == last {
		return
	}
	u := telemetry.Between(first.usage, last.usage)
	f.CPU.DUT, f.StealRatio = u.Cores, u.MostStolen(last.usage.CPUs...)
	f.CPU.Busy = busy(first.cores, last.cores)
	if len(w.pids) > 0 {
		f.CPU.Others = others(*first, *last)
	}
}

// others is how much of the CPUs programs had that are not the run's, outside the kernel.
// What the CPUs counted and the run's programs did not is too much beside a UPF that polls:
// the CPU's time is that of its ticks, a program's that of its turns. What others counted
// is too little where one has ended, and its parent as well. So it is the less of both.
func others(a, b sample) float64 {
	all := time.Duration(0)
	for cpu, core := range b.cores {
		all += core.User - a.cores[cpu].User
	}
	rest := all - (b.ours - a.ours)
	if a.alien >= 0 && b.alien >= 0 {
		rest = min(rest, b.alien-a.alien)
	}
	return max(rest.Seconds()/b.usage.At.Sub(a.usage.At).Seconds(), 0)
}

// busiest is how much of a CPU the thread had that ran most, 0..1.
func busiest(before, after map[int]telemetry.Thread, wall time.Duration) (most float64) {
	for id, t := range after {
		most = max(most, float64(t.Ran-before[id].Ran)/float64(wall))
	}
	return most
}

// point is what happened between two samples.
func point(a, b sample, start time.Time) record.AppCPUPoint {
	p := record.AppCPUPoint{T: b.usage.At.Sub(start).Seconds(), DUT: telemetry.Between(a.usage, b.usage).Cores}
	for _, share := range busy(a.cores, b.cores) {
		p.All += share
	}
	return p
}

// busy is the part of each CPU's time that was not idle, by number.
func busy(a, b map[int]telemetry.Core) (shares []float64) {
	for cpu := range len(b) {
		d := b[cpu].Sub(a[cpu])
		share := 0.0
		if t := d.Total(); t > 0 {
			share = float64(d.Busy()+d.Steal) / float64(t)
		}
		shares = append(shares, share)
	}
	return shares
}
