package measure

import (
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/site"
	"golang.org/x/sys/unix"
)

// openTraffic opens the engine and gives each part its CPU.
func (b *bench) openTraffic() error {
	if err := b.openEngine(); err != nil {
		return err
	}
	if b.scenario.BPFStats {
		stats, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
		if err != nil {
			return fmt.Errorf("switch BPF run-time statistics on: %w", err)
		}
		b.stats = stats
	}
	var err error
	if b.drops, err = b.site.OpenDrops(); err != nil {
		return err
	}
	threads, err := b.site.PrepareReceive(b.receive())
	b.subject.NAPI = threads
	return err
}

// receive gives the NAPI threads of the UPF's ports and of the sink's their CPUs. On
// one shared CPU everything runs where it is sent from, without threads; and so it
// does in a user namespace, whose root may not pin the kernel's.
func (b *bench) receive() site.Receive {
	r := site.Receive{NAPI: !b.endpoint.NativeXDP}
	if b.placement.Kind == host.Shared || host.Rootless() {
		return r
	}
	r.UPF = b.receiveCPUs()
	if !slices.Contains(b.placement.DUT, b.placement.Sink) { // else it runs in the softirq that sends to it
		r.Sink = []int{b.placement.Sink}
	}
	return r
}

// receiveCPUs are where the kernel receives for the UPF. An XDP program is the UPF:
// that is the DUT's CPU. A UPF that sleeps on sockets and its receive work
// would wake each other on one CPU, packet by packet, and get next to nothing
// done, and one that polls, sockets or what an XDP program hands it (AF_XDP), would be
// interrupted as often: they are kept apart.
// nil leaves it where the kernel has it, in the softirq of the sender.
func (b *bench) receiveCPUs() []int {
	switch {
	case !b.site.OwnsUPF():
		return nil
	case b.endpoint.XDP() && !b.endpoint.Polls:
		return b.placement.DUT
	case slices.Contains(b.placement.DUT, b.placement.Sink):
		return nil
	}
	return []int{b.placement.Sink}
}

// receivesElsewhere reports whether the kernel's receive work for the UPF is on a
// CPU that is not the UPF's.
func (b *bench) receivesElsewhere() bool {
	return b.site.OwnsUPF() && !b.endpoint.Wire && (!b.endpoint.XDP() || b.endpoint.Polls) && b.placement.Kind != host.Shared
}

// placementRemark tells what of a DUT's work is not on its CPU.
func (b *bench) placementRemark() string {
	if !b.site.OwnsUPF() || b.endpoint.Wire || b.placement.Kind == host.Shared || b.receiveCPUs() != nil && !host.Rootless() {
		return ""
	}
	return "The kernel's receive work for this UPF runs on the generator's CPU and is not in the UPF's CPU figure; it also slows the generator down."
}
