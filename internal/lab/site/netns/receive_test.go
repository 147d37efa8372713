package netns_test

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// The kernel receives for the UPF on its CPU and for the tester on another one, whichever of
// them is asked for first.
func TestReceiveThreadsOfBothEnds(t *testing.T) {
	tb := sitetest.Build(t)
	dut, sink := 1%runtime.NumCPU(), 0
	for range 2 {
		if _, err := tb.PrepareReceive(site.Receive{NAPI: true, SinkNAPI: true, UPF: []int{dut}, Sink: []int{sink}}); err != nil {
			t.Fatal(err)
		}
		l := tb.Links()
		runsOn(t, dut, &l.UPFN3, &l.UPFN6)
		runsOn(t, sink, &l.GNB, &l.DNN6)
	}
}

// runsOn fails unless each port has one NAPI thread, which may use this CPU only.
func runsOn(t *testing.T, cpu int, ports ...*netdev.Port) {
	t.Helper()
	for _, p := range ports {
		pids, err := p.NAPI().Threads()
		if err != nil || len(pids) != 1 {
			t.Fatalf("%s in %s has the NAPI threads %v, %v: want one", p.Name, p.NS.Name, pids, err)
		}
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(pids[0], &set); err != nil {
			t.Fatal(err)
		}
		if set.Count() != 1 || !set.IsSet(cpu) {
			t.Errorf("the kernel receives for %s in %s on CPUs %x, want %d alone", p.Name, p.NS.Name, set[0], cpu)
		}
	}
}
