package meters

import (
	"errors"
	"os"
	"slices"

	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/socket/napi"
)

// Watch begins to watch the CPUs of the run for what disturbs them. Where that is not
// possible everything counts, and the DUT has a remark that says so.
func (mt *Meters) Watch(out *record.DUT) error {
	mt.countCPUs()
	theirs, err := mt.kernelThreads()
	if err != nil {
		return err
	}
	m, err := disturbance.Watch(disturbance.Config{
		Generators: mt.placement.Senders(), Others: WorkCPUs(mt.placement, mt.site.OwnsUPF()),
		Ours: slices.Concat(mt.subject.Processes(), mt.subject.NAPI, theirs),
	})
	var none *disturbance.NotAvailable
	if errors.As(err, &none) {
		if mt.scenario.Disturbed == scenario.DisturbedExclude {
			out.Remarks = record.AppendNew(out.Remarks, "Everything counts, also while the machine was disturbed: "+err.Error()+".")
		}
		return nil
	}
	if err != nil {
		return err
	}
	mt.monitor = m
	if mt.site.OwnsUPF() {
		mt.subject.SoftIRQ = softIRQ(m, mt.placement.DUT)
	}
	return nil
}

// kernelThreads are those that receive for the devices of a UPF that upflab did not place, where its
// process is known: what they do the UPF does.
func (mt *Meters) kernelThreads() ([]int, error) {
	if mt.site.OwnsUPF() {
		return nil, nil
	}
	l := mt.site.Links()
	return receiveThreads(os.Getpid(), mt.subject.Processes(), append(l.GNB.Names(), l.DNN6.Names()...))
}

// receiveThreads are those of the devices in the network namespaces of processes. The kernel names them by
// the device alone, so devices are left out that have the name of a port of the tester, or of a device of
// another namespace: that of the process here.
func receiveThreads(here int, pids []int, testers []string) ([]int, error) {
	var devices []string
	for _, pid := range pids {
		others := testers
		if !netdev.SameNamespace(pid, here) {
			others = slices.Concat(testers, netdev.DevicesOf(here))
		}
		for _, name := range netdev.DevicesOf(pid) {
			if !slices.Contains(others, name) {
				devices = append(devices, name)
			}
		}
	}
	if len(devices) == 0 {
		return nil, nil
	}
	return napi.Threads(devices...)
}

// softIRQ reads the network softirqs of the DUT's CPUs.
func softIRQ(m *disturbance.Monitor, cpus []int) func() (telemetry.SoftIRQ, error) {
	held := host.ThreadsHoldSoftIRQ()
	return func() (s telemetry.SoftIRQ, err error) {
		s.Inside, s.Outside, err = m.NetSoftIRQ(cpus)
		if held {
			s.Inside = 0 // it is in the threads' time
		}
		return s, err
	}
}

// Excludes reports whether disturbed windows of trials do not count.
func (mt *Meters) Excludes() bool {
	return mt.monitor != nil && mt.scenario.Disturbed == scenario.DisturbedExclude
}

// countCPUs has the processor count what the UPF's CPUs do, where these are not the generator's too, and it can.
func (mt *Meters) countCPUs() {
	if !mt.site.OwnsUPF() || mt.placement.Kind != host.Separate {
		return
	}
	c, err := telemetry.OpenCounters(mt.placement.DUT)
	if err != nil {
		return // most virtual machines have none
	}
	mt.processor, mt.subject.Counters = c, c.Read
}

// Excluded reports whether something disturbed the CPUs of the run in a time, ns.
func (mt *Meters) Excluded(from, to uint64) bool { return mt.monitor.Excluded(from, to) }

// WorkCPUs are those of the DUT, where it is ours, and of the sink.
func WorkCPUs(p record.Placement, ours bool) []int {
	cpus := p.Receivers()
	if ours {
		cpus = append(cpus, p.DUT...)
	}
	return cpus
}

// RunCPUs are all CPUs of the run on this machine.
func RunCPUs(p record.Placement, ours bool) []int {
	return slices.Concat(p.Senders(), WorkCPUs(p, ours))
}
