package measure

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/site"
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
	if b.testbed.UPF != nil {
		var err error
		if b.kernel, err = openKernelDrops(b.testbed); err != nil {
			return err
		}
	}
	if err := b.receive(); err != nil {
		return err
	}
	return b.pin()
}

// receive switches NAPI on where no XDP program does: without it nothing can be
// redirected to a veth.
func (b *bench) receive() error {
	if b.testbed.UPF == nil || b.endpoint.NativeXDP {
		return nil
	}
	return errors.Join(b.testbed.UPFN3.SetGRO(true), b.testbed.UPFN6.SetGRO(true))
}

// pin gives the NAPI threads of the UPF's ports and of the sink's their CPUs. On
// one shared CPU everything runs where it is sent from, without threads; and so it
// does in a user namespace, whose root may not pin the kernel's. Devices that lead to
// a UPF elsewhere are the user's, and stay as they are.
func (b *bench) pin() error {
	if b.placement.Kind == site.Shared || site.Rootless() || b.testbed.UPF == nil {
		return nil
	}
	if cpus := b.receiveCPUs(); cpus != nil {
		for _, port := range []site.Port{b.testbed.UPFN3, b.testbed.UPFN6} {
			pids, err := port.PinNAPI(cpus, true)
			if err != nil {
				return err
			}
			b.subject.NAPI = append(b.subject.NAPI, pids...)
		}
	}
	for _, cpu := range b.placement.DUT {
		if cpu == b.placement.Sink {
			return nil // the sink runs in the softirq that sends to it
		}
	}
	for _, port := range []site.Port{b.testbed.GNB, b.testbed.DNN6} {
		if _, err := port.PinNAPI([]int{b.placement.Sink}, true); err != nil {
			return err
		}
	}
	return nil
}

// receiveCPUs are where the kernel receives for the UPF. An XDP program is the UPF:
// that is the DUT's CPU. A UPF that sleeps on sockets and its receive work
// would wake each other on one CPU, packet by packet, and get next to nothing
// done, and one that polls, sockets or what an XDP program hands it (AF_XDP), would be
// interrupted as often: they are kept apart.
// nil leaves it where the kernel has it, in the softirq of the sender.
func (b *bench) receiveCPUs() []int {
	switch {
	case b.testbed.UPF == nil:
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
	return b.testbed.UPF != nil && !b.endpoint.Wire && (!b.endpoint.XDP() || b.endpoint.Polls) && b.placement.Kind != site.Shared
}

// placementRemark tells what of a DUT's work is not on its CPU.
func (b *bench) placementRemark() string {
	if b.testbed.UPF == nil || b.endpoint.Wire || b.placement.Kind == site.Shared || b.receiveCPUs() != nil && !site.Rootless() {
		return ""
	}
	return "The kernel's receive work for this UPF runs on the generator's CPU and is not in the UPF's CPU figure; it also slows the generator down."
}
