package host

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// The kinds of placement.
const (
	Separate = "separate" // the DUT has a CPU of its own
	Shared   = "shared"   // one CPU does everything
)

// Place chooses the CPUs of the roles. With two CPUs the generator has one and
// the DUT the other, where the sink runs too: it takes what arrives at once, in
// the softirq that sends it, which costs the DUT's CPU little (wire shows how
// much) and leaves the generator alone. With more, the sink has its own.
func Place(want scenario.CPU) (record.Placement, error) {
	cpus, err := AllowedCPUs()
	if err != nil {
		return record.Placement{}, err
	}
	return PlaceOn(cpus, want)
}

// PlaceOn is Place where these are the CPUs that upflab may use, maybe those of another machine.
func PlaceOn(cpus []int, want scenario.CPU) (record.Placement, error) {
	p := choose(unnamed(cpus, want), want.Placement)
	p.Generators = []int{p.Generator}
	if named := want.Generator.List(); len(named) > 0 {
		p.Generator, p.Generators = named[0], named
	}
	if named := want.DUT.List(); len(named) > 0 {
		p.DUT = named
	}
	if len(cpus) < 3 {
		p.Sink = p.DUT[0]
	}
	if named := want.Sink.List(); len(named) > 0 {
		p.Sink = named[0]
		if len(named) > 1 {
			p.Sinks = named
		}
	}
	for _, cpu := range slices.Concat(p.Senders(), p.Receivers(), p.DUT) {
		if !slices.Contains(cpus, cpu) {
			return p, fmt.Errorf("CPU %d is not one that upflab may use (%v): change cpu.generator, cpu.sink or cpu.dut", cpu, cpus)
		}
	}
	p.Kind = Separate
	if slices.ContainsFunc(p.Senders(), func(cpu int) bool { return slices.Contains(p.DUT, cpu) }) {
		p.Kind = Shared
	}
	if p.Kind == Shared && want.Placement == Separate {
		return p, fmt.Errorf("cpu.placement separate gives the DUT a CPU of its own, and of those that upflab may "+
			"use (%v) none is left for it: allow another one, or take placement shared", cpus)
	}
	return p, nil
}

// unnamed are the CPUs for the roles that none was named for: those that no other role
// has, and the same one where all are to share it.
func unnamed(cpus []int, want scenario.CPU) []int {
	if want.Placement == Shared {
		for _, named := range []scenario.CPUs{want.Generator, want.DUT} {
			if list := named.List(); len(list) > 0 {
				return list[:1]
			}
		}
		return cpus
	}
	taken := slices.Concat(want.Generator.List(), want.DUT.List())
	if len(cpus) > 2 {
		taken = append(taken, want.Sink.List()...)
	}
	free := slices.DeleteFunc(slices.Clone(cpus), func(cpu int) bool { return slices.Contains(taken, cpu) })
	if len(free) == 0 {
		return cpus
	}
	return free
}

func choose(cpus []int, kind string) record.Placement {
	n := len(cpus)
	switch {
	case n == 1 || kind == Shared:
		return record.Placement{Generator: cpus[0], Sink: cpus[0], DUT: cpus[:1]}
	case n == 2:
		return record.Placement{Generator: cpus[0], Sink: cpus[1], DUT: cpus[1:]}
	}
	return record.Placement{Generator: cpus[n-3], Sink: cpus[n-2], DUT: cpus[n-1:]}
}

// AllowedCPUs are the CPUs that upflab may run on.
func AllowedCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("read the CPUs that upflab may use: %w", err)
	}
	return cpusOf(&set), nil
}
