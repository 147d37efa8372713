package telemetry

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Subject is whose CPU time and memory are taken.
type Subject struct {
	PIDs func() []int // its processes now, with those it has started since; nil: none
	NAPI []int        // kernel threads that receive for it
	CPUs []int        // that it runs on
	// SoftIRQ is how long its CPUs have been in network softirqs, exactly; nil: only
	// ticks tell.
	SoftIRQ func() (SoftIRQ, error)
	// Counters are those of its CPUs; nil: they are not known.
	Counters func() (map[string]uint64, error)
}

// Processes are the subject's, now.
func (s Subject) Processes() []int {
	if s.PIDs == nil {
		return nil
	}
	return s.PIDs()
}

// SoftIRQ is the time of CPUs in softirqs: on top of a subject's threads, and of all else.
type SoftIRQ struct {
	Inside  time.Duration `json:"inside"`
	Outside time.Duration `json:"outside"`
}

// Sample is the state of a subject and of the host at one moment.
type Sample struct {
	At      time.Time      `json:"at"`
	Process time.Duration  `json:"process_ns"`
	NAPI    time.Duration  `json:"napi_ns"`
	Cores   map[int]Core   `json:"cores"`                // all CPUs, by number
	CPUs    []int          `json:"cpus"`                 // of the subject
	NAPIs   int            `json:"napi_threads"`         // kernel threads
	SoftIRQ *SoftIRQ       `json:"softirq_ns,omitempty"` // nil: only ticks tell
	Threads map[int]Thread `json:"threads"`              // of its processes and NAPI threads, by id
	// Counters are those of the processor, of the subject's CPUs, by name.
	Counters map[string]uint64 `json:"counters,omitempty"`
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
	out := Sample{Cores: cores, CPUs: s.CPUs, NAPIs: len(s.NAPI), Threads: map[int]Thread{}}
	if s.SoftIRQ != nil {
		soft, err := s.SoftIRQ()
		if err != nil {
			return out, err
		}
		out.SoftIRQ = &soft
	}
	if s.Counters != nil {
		if out.Counters, err = s.Counters(); err != nil {
			return out, err
		}
	}
	if out.Process, err = out.follow(s.Processes()); err != nil {
		return out, err
	}
	out.NAPI, err = out.follow(s.NAPI)
	return out, err
}

// follow adds the threads of processes to the sample and sums how long the processes ran: of
// threads that have ended only their process still knows.
func (s *Sample) follow(pids []int) (ran time.Duration, err error) {
	for _, pid := range pids {
		threads, err := Threads(pid)
		if err != nil {
			return 0, err
		}
		maps.Copy(s.Threads, threads)
		took, err := ProcessTime(pid)
		if err != nil {
			return 0, err
		}
		ran += took
	}
	return ran, nil
}

// OwnThreads is the part of a subject's CPU time that its own threads took.
const OwnThreads = record.OwnThreads

// Usage is what happened between two samples.
type Usage struct {
	Parts    []record.Share // of the subject: threads, NAPI threads, softirq
	Cores    float64        // their sum
	CoreBusy float64        // share of the subject's CPUs that was not idle, 0..1
	// Busy is the same of each CPU of the machine, and Stolen the share of its time that the
	// hypervisor gave to others, 0..1, by the CPU's number.
	Busy, Stolen map[int]float64
	// BusiestThread is the share of the time that the subject's thread that ran most ran, 0..1.
	BusiestThread float64
	// RunQueueDelay is the share of the time, 0..1, that the subject's thread that
	// waited most was ready to run and had no CPU.
	RunQueueDelay float64
	SwitchesPerS  float64 // times a second that any of its threads was given a CPU
	Counters      map[string]uint64
}

// Between compares two samples of one subject. No part is more than its CPUs can give, and none
// is below 0: the counter of a process goes with it when it ends.
func Between(a, b Sample) Usage {
	wall := b.At.Sub(a.At).Seconds()
	if wall <= 0 {
		return Usage{}
	}
	core := sumOf(b.Cores, b.CPUs).Sub(sumOf(a.Cores, b.CPUs))
	process, napi, soft := (b.Process-a.Process).Seconds()/wall, (b.NAPI-a.NAPI).Seconds()/wall, softirq(a, b).Seconds()/wall
	process, napi = max(process, 0), max(napi, 0)
	if cpus := float64(len(b.CPUs)); cpus > 0 {
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
	u.BusiestThread = busiestThread(a.Threads, b.Threads, b.At.Sub(a.At))
	u.CoreBusy = core.busyRatio()
	u.Counters = countersBetween(a, b)
	u.Busy, u.Stolen = map[int]float64{}, map[int]float64{}
	for id, now := range b.Cores {
		one := now.Sub(a.Cores[id])
		u.Busy[id] = one.busyRatio()
		if t := one.Total(); t > 0 {
			u.Stolen[id] = float64(one.Steal) / float64(t)
		}
	}
	return u
}

// MostStolen is the share of its time, 0..1, that the CPU lost of which the hypervisor took
// most; of none but these CPUs, where there are some. A mean over a large machine would hide
// the one CPU that matters.
func (u Usage) MostStolen(cpus ...int) float64 { return most(u.Stolen, cpus) }

// Busiest is how busy the subject's busiest CPU was, 0..1.
func (u Usage) Busiest(cpus ...int) float64 { return most(u.Busy, cpus) }

// most is the highest value of some CPUs, or of all.
func most(values map[int]float64, cpus []int) (highest float64) {
	for id, v := range values {
		if len(cpus) == 0 || slices.Contains(cpus, id) {
			highest = max(highest, v)
		}
	}
	return highest
}
