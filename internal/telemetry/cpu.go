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
	// SoftIRQ is how long its CPUs have been in network softirqs, exactly; nil: only
	// ticks tell.
	SoftIRQ func() (SoftIRQ, error)
}

// SoftIRQ is the time of CPUs in softirqs: on top of a subject's threads, and of all else.
type SoftIRQ struct{ Inside, Outside time.Duration }

// Sample is the state of a subject and of the host at one moment.
type Sample struct {
	At      time.Time
	Process time.Duration
	NAPI    time.Duration
	Core    Core           // sum over the subject's CPUs
	Host    Core           // sum over all CPUs
	CPUs    int            // of the subject
	NAPIs   int            // kernel threads
	SoftIRQ *SoftIRQ       // nil: only ticks tell
	Threads map[int]Thread // of its processes and NAPI threads, by id
}

// takes is how often a sample is read at most, and readWithin how long that may take:
// its parts are read one after the other, and a pause between them would make shares of
// time wrong.
const (
	takes      = 3
	readWithin = 2 * time.Millisecond
)

// Take reads a sample, at the moment in the middle of its reading.
func Take(s Subject) (best Sample, err error) {
	shortest := time.Duration(0)
	for n := range takes {
		start := time.Now()
		sample, err := read(s)
		took := time.Since(start)
		if err != nil {
			return sample, err
		}
		sample.At = start.Add(took / 2)
		if n == 0 || took < shortest {
			best, shortest = sample, took
		}
		if took <= readWithin {
			break
		}
	}
	return best, nil
}

func read(s Subject) (Sample, error) {
	cores, err := Cores()
	if err != nil {
		return Sample{}, fmt.Errorf("read CPU states: %w", err)
	}
	out := Sample{CPUs: len(s.CPUs), NAPIs: len(s.NAPI), Threads: map[int]Thread{}}
	for _, c := range cores {
		out.Host = out.Host.add(c)
	}
	for _, id := range s.CPUs {
		out.Core = out.Core.add(cores[id])
	}
	if s.SoftIRQ != nil {
		soft, err := s.SoftIRQ()
		if err != nil {
			return out, err
		}
		out.SoftIRQ = &soft
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

// Between compares two samples of one subject. No part is more than its CPUs can give.
func Between(a, b Sample) Usage {
	wall := b.At.Sub(a.At).Seconds()
	if wall <= 0 {
		return Usage{}
	}
	core, host := b.Core.Sub(a.Core), b.Host.Sub(a.Host)
	process, napi, soft := (b.Process-a.Process).Seconds()/wall, (b.NAPI-a.NAPI).Seconds()/wall, softirq(a, b).Seconds()/wall
	if cpus := float64(b.CPUs); cpus > 0 {
		process = min(process, cpus)
		soft = min(soft, cpus-process)
	}
	if b.NAPIs > 0 {
		napi = min(napi, float64(b.NAPIs))
	}
	u := Usage{Parts: []record.Share{
		{Name: OwnThreads, Cores: process},
		{Name: "NAPI threads", Cores: napi},
		{Name: "softirq", Cores: soft},
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
