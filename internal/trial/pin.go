package trial

import (
	"context"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/site"
	"golang.org/x/sys/unix"
)

// openTraffic opens the engine and gives each part its CPU.
func (dp *Deployment) openTraffic(ctx context.Context) error {
	if err := dp.openEngine(ctx); err != nil {
		return err
	}
	if err := dp.steer(); err != nil {
		return err
	}
	if dp.Scenario.BPFStats {
		stats, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
		if err != nil {
			return fmt.Errorf("switch BPF run-time statistics on: %w", err)
		}
		dp.stats = stats
	}
	var err error
	if dp.drops, err = dp.site.OpenDrops(); err != nil {
		return err
	}
	dp.speeds = speedsOf(dp.site.Links())
	threads, err := dp.site.PrepareReceive(dp.receive())
	dp.subject.NAPI = threads
	return err
}

// receive gives the NAPI threads of the UPF's ports and of the sink's their CPUs. On
// one shared CPU everything runs where it is sent from, without threads; and so it
// does in a user namespace, whose root may not pin the kernel's.
func (dp *Deployment) receive() site.Receive {
	r := site.Receive{NAPI: dp.Endpoint.XDP != dut.NativeXDP, SinkNAPI: scenario.Engine(dp.EngineName) == scenario.EngineAFPacket}
	if dp.Placement.Kind == host.Shared || host.Rootless() {
		return r
	}
	r.UPF = dp.receiveCPUs()
	if !slices.Contains(dp.Placement.DUT, dp.Placement.Sink) { // else it runs in the softirq that sends to it
		r.Sink = dp.Placement.Receivers()
	}
	return r
}

// receiveCPUs are where the kernel receives for the UPF. An XDP program is the UPF:
// that is the DUT's CPU. A UPF that sleeps on sockets and its receive work
// would wake each other on one CPU, packet by packet, and get next to nothing
// done, and one that polls, sockets or what an XDP program hands it (AF_XDP), would be
// interrupted as often: they are separated.
// nil leaves it where the kernel has it, in the softirq of the sender.
func (dp *Deployment) receiveCPUs() []int {
	switch {
	case !dp.site.OwnsUPF():
		return nil
	case dp.Endpoint.XDP.Receives() && !dp.Endpoint.Polls:
		return dp.Placement.DUT
	case slices.Contains(dp.Placement.DUT, dp.Placement.Sink):
		return nil
	}
	return dp.Placement.Receivers()
}

// receivesElsewhere reports whether the kernel's receive work for the UPF is on a
// CPU that is not the UPF's.
func (dp *Deployment) receivesElsewhere() bool {
	return dp.site.OwnsUPF() && !dp.Endpoint.IsWire() && (!dp.Endpoint.XDP.Receives() || dp.Endpoint.Polls) && dp.Placement.Kind != host.Shared
}

// placementRemark names the work for a DUT that is not on its CPU.
func (dp *Deployment) placementRemark() string {
	if !dp.site.OwnsUPF() || dp.Endpoint.IsWire() || dp.Placement.Kind == host.Shared || dp.receiveCPUs() != nil && !host.Rootless() {
		return ""
	}
	return "The kernel's receive work for this UPF runs on the generator's CPU and is not in the UPF's CPU figure; it also slows the generator down."
}
