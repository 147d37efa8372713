package xdp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
)

// spreadQueue is how many frames wait for each CPU at most, of those that each port
// receives: 2 ms at a million a second.
const spreadQueue = 2048

// spread are the CPUs that packets are spread among.
type spread struct {
	cpus    []int
	objects *upfObjects
	before  []upfCounters // what each CPU had counted at first
}

// checkCPUs refuses numbers that no CPU has, and what there is no room for.
func checkCPUs(cpus []int) error {
	if len(cpus) > MaxCPUs {
		return fmt.Errorf("xdp: packets are to be spread among %d CPUs: at most %d", len(cpus), MaxCPUs)
	}
	for i, n := range cpus {
		if n < 0 || slices.Contains(cpus[:i], n) {
			return fmt.Errorf("xdp: packets cannot be spread among CPUs %v: CPU %d is no CPU, or there twice", cpus, n)
		}
	}
	return nil
}

// configureSpread has the forwarding programs run on other CPUs than those that receive.
func configureSpread(spec *ebpf.CollectionSpec, cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	for _, name := range []string{"upf_n3", "upf_n6", "upf_n3n6"} {
		spec.Programs[name].AttachType = ebpf.AttachXDPCPUMap
	}
	possible, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	if n := slices.Max(cpus); n >= possible {
		return explainSpread(n, unix.ENODEV)
	}
	var numbers [MaxCPUs]uint32
	for i, n := range cpus {
		numbers[i] = uint32(n)
	}
	most := uint32(slices.Max(cpus)) + 1
	spec.Maps[upfMapSpreadN3To].MaxEntries, spec.Maps[upfMapSpreadN6To].MaxEntries = most, most
	return errors.Join(spec.Variables[upfVarSpreadCount].Set(uint32(len(cpus))), spec.Variables[upfVarSpreadCpus].Set(numbers))
}

// spreadEntry is struct bpf_cpumap_val.
type spreadEntry struct {
	Queue   uint32
	Program uint32
}

// openSpread starts the kernel's threads on the CPUs; nil where there are none.
func openSpread(cpus []int, ports []port, o *upfObjects) (*spread, error) {
	if len(cpus) == 0 {
		return nil, nil
	}
	s := &spread{cpus: cpus, objects: o}
	for i, p := range ports {
		to := []*ebpf.Map{o.SpreadN3To, o.SpreadN6To}[i]
		for _, n := range cpus {
			entry := spreadEntry{spreadQueue, uint32(p.forward.FD())}
			if err := to.Update(uint32(n), &entry, ebpf.UpdateAny); err != nil {
				return nil, explainSpread(n, err)
			}
		}
	}
	if err := o.Totals.Lookup(uint32(0), &s.before); err != nil {
		return nil, fmt.Errorf("xdp: read counters: %w", err)
	}
	return s, nil
}

func explainSpread(cpu int, err error) error {
	if errors.Is(err, unix.ENODEV) {
		return fmt.Errorf("xdp: spread packets to CPU %d: this machine has no such CPU: see lscpu", cpu)
	}
	return fmt.Errorf("xdp: spread packets to CPU %d: %w", cpu, err)
}

// Workers lists the CPUs that packets are spread among, in the order of the configuration; none
// where packets are not spread. Missed found no room in a CPU's queues,
// or waits there. What is not forwarded was dropped, or left to the kernel.
func (d *Datapath) Workers() []datapath.Worker {
	if d.spread == nil {
		return nil
	}
	return d.spread.workers()
}

func (s *spread) workers() []datapath.Worker {
	list := make([]datapath.Worker, len(s.cpus))
	var now []upfCounters
	if s.objects.Totals.Lookup(uint32(0), &now) != nil {
		return list
	}
	for slot, n := range s.cpus {
		var given []uint64 // by each CPU that receives
		if n >= len(now) || s.objects.SpreadGiven.Lookup(uint32(slot), &given) != nil {
			continue
		}
		w := &list[slot]
		w.Received = handled(&now[n]) - handled(&s.before[n])
		w.Sent = now[n].UlPackets + now[n].DlPackets - s.before[n].UlPackets - s.before[n].DlPackets
		for _, packets := range given {
			w.Missed += packets
		}
		w.Missed -= min(w.Missed, w.Received)
	}
	return list
}

// handled is how many packets a CPU has seen.
func handled(c *upfCounters) uint64 {
	n := c.UlPackets + c.DlPackets + c.Passed
	for _, drops := range c.Drops {
		n += drops
	}
	return n
}

// Counters gives the totals since Open, summed over CPUs. Bytes are of T-PDUs.
// A G-PDU with an unknown TEID counts as dropped also when it is one of the few
// that are passed on to be answered with an Error Indication.
func (d *Datapath) Counters() (datapath.Counters, error) {
	var perCPU []upfCounters
	if err := d.objects.Totals.Lookup(uint32(0), &perCPU); err != nil {
		return datapath.Counters{}, fmt.Errorf("xdp: read counters: %w", err)
	}
	sum := datapath.Counters{Drops: map[datapath.Reason]uint64{}}
	for i := range perCPU {
		addCounters(&sum, &perCPU[i])
	}
	sum.Lost = d.slow.injector.Lost()
	return sum, nil
}

func addCounters(sum *datapath.Counters, c *upfCounters) {
	sum.Uplink.Packets += c.UlPackets
	sum.Uplink.Bytes += c.UlBytes
	sum.Downlink.Packets += c.DlPackets
	sum.Downlink.Bytes += c.DlBytes
	sum.Accepted.Packets += c.AcceptedPackets
	sum.Accepted.Bytes += c.AcceptedBytes
	sum.Passed += c.Passed
	for i, n := range c.Drops {
		if n > 0 {
			sum.Drops[datapath.Reason(i)] += n
		}
	}
}

// MemoryBytes is what the maps hold of the kernel's memory, in octets.
func (d *Datapath) MemoryBytes() (uint64, error) {
	var sum uint64
	o := &d.objects
	maps := []*ebpf.Map{o.UplinkDirect, o.DownlinkDirect, o.UplinkRules, o.DownlinkRules, o.Peers, o.Peers6, o.Alarms,
		o.HeldPackets, o.SlowPackets, o.Routes, o.Totals, o.PuntSources, o.OwnAddresses}
	for _, m := range slices.Concat(maps, d.chains.rows.Maps(), d.chains.blocks.Maps(), d.chains.rates.Maps(),
		d.chains.usages.Maps(), d.chains.limits.Maps()) {
		info, err := m.Info()
		if err != nil {
			return 0, fmt.Errorf("xdp: read a map's memory: %w", err)
		}
		octets, _ := info.Memlock()
		sum += octets
	}
	return sum, nil
}
