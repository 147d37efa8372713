package render_test

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// withCounters is the sample on a machine whose processor counts instructions, cycles and misses. Its eUPF ran where only
// cycles are counted.
func withCounters(t testing.TB) *record.Result {
	r := sample(t)
	for i := range r.DUTs {
		for j := range r.DUTs[i].Trials {
			trial := &r.DUTs[i].Trials[j]
			if trial.Kind != record.KindLoad {
				continue
			}
			scale := float64(1 + j)
			trial.Counters = &record.Counters{Cycles: new(400 * scale)}
			if i != 1 {
				trial.Counters.Instructions, trial.Counters.CacheMisses, trial.Counters.BranchMisses = new(1234*scale), new(0.25*scale), new(2.5)
			}
		}
	}
	return r
}

// ofInstructions is what `upflab run instructions` had: two builds of a UPF, one of which polls in one direction.
func ofInstructions() *record.Result {
	of := func(build string, more float64) record.DUT {
		d := record.DUT{Name: "eupf@" + build, Mode: "native", Version: build, Status: record.StatusOK}
		for repeat := 1; repeat <= 2; repeat++ {
			wobble := float64(repeat) / 2
			d.Instructions = append(d.Instructions,
				record.Instructions{Direction: record.Uplink, PacketSize: record.PacketSize{Size: "payload:64"}, Repeat: repeat, Each: 451 + more + wobble, Program: 563 + more, Batches: 120, Bench: 9630, Valid: true},
				record.Instructions{Procedure: "modify", Repeat: repeat, Each: 72500 + 300*wobble, Batches: 150, Valid: true})
		}
		return d
	}
	slow := of("new", 6)
	slow.Instructions[2].Invalid("in 70 of 120 batches some packets arrived only when the next thing was done")
	for _, i := range []int{0, 2} { // in one direction not at all
		poll := slow.Instructions[i]
		poll.Direction, poll.Reasons = record.Downlink, nil
		poll.Invalid("in 120 of 120 batches some packets arrived only when the next thing was done")
		slow.Instructions = append(slow.Instructions, poll)
	}
	return &record.Result{Scenario: "instructions", Title: "Instructions of a packet and of a request", Complete: true,
		VM:   &record.VM{Kernel: "6.12", NIC: "veth", Accel: "tcg", QEMU: "7.2", CPUs: 1, MemoryMiB: 3072, Counts: true},
		DUTs: []record.DUT{of("old", 0), slow}}
}
