package bench

import (
	"errors"
	"slices"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/scenario"
)

// PrepareReceive readies the ports, and notes the kernel's threads that receive for the DUT.
func (b *Bench) PrepareReceive(r site.Receive) (err error) {
	b.Subject.NAPI, err = b.site.PrepareReceive(r)
	return err
}

// PinsReceive reports whether the kernel's receive work can have CPUs of its own. On one shared CPU everything runs where it
// is sent from, without threads; and so it does where there are no threads of the kernel's to pin.
func (b *Bench) PinsReceive() bool { return b.Placement.Kind != host.Shared && host.PinsNAPI() }

// ReceiveCPUs are where the kernel receives for the UPF, if sinks are the CPUs of the sink. An XDP program is the UPF:
// that is the DUT's CPU. A UPF that sleeps on sockets and its receive work
// would wake each other on one CPU, packet by packet, and get next to nothing
// done, and one that polls, sockets or what an XDP program hands it (AF_XDP), would be
// interrupted as often: they are separated.
// nil leaves it where the kernel has it, in the softirq of the sender.
func (b *Bench) ReceiveCPUs(sinks ...int) []int {
	switch {
	case !b.site.OwnsUPF():
		return nil
	case b.Endpoint.XDP.Receives() && !b.Endpoint.Polls:
		return b.Placement.DUT
	case slices.Contains(b.Placement.DUT, b.Placement.Sink):
		return nil
	}
	return sinks
}

// placementRemark names the work for a DUT that is not on its CPU.
func (b *Bench) placementRemark() string {
	if !b.site.OwnsUPF() || b.Endpoint.IsWire() || b.Placement.Kind == host.Shared ||
		b.ReceiveCPUs(b.Placement.Receivers()...) != nil && host.PinsNAPI() {
		return ""
	}
	return "The kernel's receive work for this UPF runs on the generator's CPU and is not in the UPF's CPU " +
		"figure; it also slows the generator down."
}

// setGRO decides whether the kernel merges what arrives at the UPF's ports before the UPF
// sees it. By itself it does so at the parent of a macvlan device alone, whose child gets
// what is merged without a transmission that would cut it: most UPFs cannot cut it either.
func (b *Bench) setGRO() error {
	l := b.site.Links()
	switch {
	case !b.site.OwnsUPF():
		return nil
	case b.Scenario.GRO == scenario.GROOn:
		return errors.Join(l.UPFN3.SetGRO(true), l.UPFN6.SetGRO(true))
	case b.Scenario.GRO == scenario.GROOff || l.UPFN3.Lower != nil || l.UPFN6.Lower != nil:
		return errors.Join(l.UPFN3.SetGRO(false), l.UPFN6.SetGRO(false))
	}
	return nil
}

// MergesAtN6 reports whether the kernel merges segments at the UPF's N6.
func (b *Bench) MergesAtN6() bool {
	if !b.site.OwnsUPF() {
		return false
	}
	on, err := b.site.Links().UPFN6.GRO()
	return err == nil && on
}
