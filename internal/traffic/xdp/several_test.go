package xdp

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/socket/threads"
)

// onCPUs are the same packets of a session as they arrive on each of several CPUs: every
// one of them once, in order, but for those that got lost on the way there.
type onCPUs struct {
	sink  *sink
	frame func(seq uint64) []byte
	n     uint64
	lost  func(seq uint64) bool
	at    []atomic.Uint64 // how far each CPU is
}

// together is by how much one CPU may be ahead: well within the window in which a copy is
// known as one.
const together = 300

// arrive gives the packets to the program on a CPU.
func (a *onCPUs) arrive(cpu int) error {
	runtime.LockOSThread() // never unlocked: the thread is pinned and ends here
	if err := threads.Pin(0, cpu%runtime.NumCPU()); err != nil {
		return err
	}
	for seq := range a.n {
		for i := range a.at {
			for a.at[i].Load()+together < seq {
				runtime.Gosched()
			}
		}
		if !a.lost(seq) {
			if _, err := a.sink.program().Run(&ebpf.RunOptions{Data: a.frame(seq), Repeat: 1}); err != nil {
				return err
			}
		}
		a.at[cpu].Store(seq + 1)
	}
	return nil
}

// TestSessionOnSeveralCPUs: of packets of a session that arrive on several CPUs at the same
// time each counts once, each copy is one, and what is lost is in its run.
func TestSessionOnSeveralCPUs(t *testing.T) {
	var cases []sinkCase
	readJSON(t, "testdata/sink.json", &cases)
	const cpus, n = 3, 6000
	s := openSinkOf(t, namedFlow(t, "uplink"), true)
	if err := s.Begin(testTrial); err != nil {
		t.Fatal(err)
	}
	plain := unhex(t, cases[0].Frames[0])
	a := &onCPUs{sink: s, n: n, at: make([]atomic.Uint64, cpus), frame: func(seq uint64) []byte { return numbered(plain, testTrial, seq) },
		lost: func(seq uint64) bool { return seq%100 < 3 }}
	var errs [cpus]error
	var all sync.WaitGroup
	for cpu := range cpus {
		all.Go(func() { errs[cpu] = a.arrive(cpu) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	o, err := s.Outcome([]uint64{n, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	const lost = n / 100 * 3
	if o.Received != n-lost || o.Duplicates != (cpus-1)*(n-lost) || o.Latency.Count != o.Received || o.ReceivedBySession[0] != o.Received {
		t.Errorf("%d received, by session %v, %d copies, %d latencies; want %d and %d", o.Received,
			o.ReceivedBySession, o.Duplicates, o.Latency.Count,
			n-lost, (cpus-1)*(n-lost))
	}
	if len(o.LossRuns) != 1 || o.LossRuns[0].Length != 3 || o.LossRuns[0].Count != n/100 {
		t.Errorf("runs of lost packets: %v, want %d of 3", o.LossRuns, n/100)
	}
}
