package telemetry

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Subject is whose CPU time and memory are taken.
type Subject struct {
	PIDs []int // its processes
	NAPI []int // kernel threads that receive for it
	CPUs []int // that it runs on
}

// Sample is the state of a subject and of the host at one moment.
type Sample struct {
	At      time.Time
	Process time.Duration
	NAPI    time.Duration
	Core    Core           // sum over the subject's CPUs
	Host    Core           // sum over all CPUs
	CPUs    int            // of the subject
	Threads map[int]Thread // of its processes and NAPI threads, by id
}

// Take reads a sample.
func Take(s Subject) (Sample, error) {
	cores, err := Cores()
	if err != nil {
		return Sample{}, fmt.Errorf("read CPU states: %w", err)
	}
	out := Sample{At: time.Now(), CPUs: len(s.CPUs), Threads: map[int]Thread{}}
	for _, c := range cores {
		out.Host = out.Host.add(c)
	}
	for _, id := range s.CPUs {
		out.Core = out.Core.add(cores[id])
	}
	if out.Process, err = out.follow(s.PIDs); err != nil {
		return out, err
	}
	out.NAPI, err = out.follow(s.NAPI)
	return out, err
}

// follow adds the threads of processes to the sample and sums their run times.
func (s *Sample) follow(pids []int) (ran time.Duration, err error) {
	for _, pid := range pids {
		threads, err := Threads(pid)
		if err != nil {
			return 0, err
		}
		for id, t := range threads {
			s.Threads[id] = t
			ran += t.Ran
		}
	}
	return ran, nil
}

// OwnThreads is the part of a subject's CPU time that its own threads took.
const OwnThreads = "threads"

// Usage is what happened between two samples.
type Usage struct {
	Parts      []record.Share // of the subject: threads, NAPI threads, softirq
	Cores      float64        // their sum
	CoreBusy   float64        // share of the subject's CPUs that was not idle, 0..1
	StealRatio float64        // of the host's time
	// RunQueueDelay is the share of the time, 0..1, that the subject's thread that
	// waited most was ready to run and had no CPU.
	RunQueueDelay float64
	SwitchesPerS  float64 // times a second that any of its threads was given a CPU
}

// Between compares two samples of one subject.
//
// Softirq is the time its CPUs spent there that its own threads do not account
// for: depending on the kernel, a thread's time holds the softirqs that ran on
// top of it or not.
func Between(a, b Sample) Usage {
	wall := b.At.Sub(a.At).Seconds()
	if wall <= 0 {
		return Usage{}
	}
	core, host := b.Core.Sub(a.Core), b.Host.Sub(a.Host)
	process, napi := (b.Process - a.Process).Seconds(), (b.NAPI - a.NAPI).Seconds()
	rest := core.Busy().Seconds() - process - napi
	soft := max(0, min(rest, (core.SoftIRQ+core.IRQ).Seconds()))
	u := Usage{Parts: []record.Share{
		{Name: OwnThreads, Cores: process / wall},
		{Name: "NAPI threads", Cores: napi / wall},
		{Name: "softirq", Cores: soft / wall},
	}}
	for _, p := range u.Parts {
		u.Cores += p.Cores
	}
	delay, switches := longestWait(a.Threads, b.Threads, b.At.Sub(a.At))
	u.RunQueueDelay, u.SwitchesPerS = delay, float64(switches)/wall
	if t := core.Total(); t > 0 {
		u.CoreBusy = float64(core.Busy()+core.Steal) / float64(t)
	}
	if t := host.Total(); t > 0 {
		u.StealRatio = float64(host.Steal) / float64(t)
	}
	return u
}
