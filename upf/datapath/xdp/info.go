package xdp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
)

// Mode is how the programs are attached: Native or Generic.
func (d *Datapath) Mode() Mode { return d.mode }

// FallbackReason is why Auto took Generic; nil otherwise.
func (d *Datapath) FallbackReason() error { return d.refusal }

// Program names an attached program, for whoever reads its statistics.
type Program struct {
	Interface string
	ID        ebpf.ProgramID
}

// Programs lists what is attached, N3 first.
func (d *Datapath) Programs() ([]Program, error) {
	var all []Program
	for _, p := range d.ports {
		info, err := p.program.Info()
		if err != nil {
			return nil, fmt.Errorf("xdp: read the program on %s: %w", p.name, err)
		}
		id, ok := info.ID()
		if !ok {
			return nil, errors.New("xdp: the kernel gives no program IDs: Linux 4.13 or later is needed")
		}
		all = append(all, Program{Interface: p.name, ID: id})
	}
	return all, nil
}

// MemoryBytes is what the maps hold of the kernel's memory, in octets.
func (d *Datapath) MemoryBytes() (uint64, error) {
	var sum uint64
	o := &d.objects
	maps := []*ebpf.Map{o.UplinkDirect, o.DownlinkDirect, o.UplinkRules, o.DownlinkRules, o.Peers, o.Peers6, o.Alarms, o.HeldPackets, o.Routes, o.Totals, o.PuntSources, o.OwnAddresses}
	for _, m := range slices.Concat(maps, d.chains.rows.maps(), d.chains.blocks.maps(), d.chains.rates.maps(), d.chains.usages.maps(), d.chains.limits.maps()) {
		info, err := m.Info()
		if err != nil {
			return 0, fmt.Errorf("xdp: read a map's memory: %w", err)
		}
		octets, _ := info.Memlock()
		sum += octets
	}
	return sum, nil
}
