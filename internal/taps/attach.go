package taps

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/xdpchain"
)

// load loads the named programs alone, with the maps that all share.
func (t *Taps) load(spec *ebpf.CollectionSpec, every int, names ...string) (*ebpf.Collection, error) {
	wanted := map[string]*ebpf.ProgramSpec{}
	for _, name := range names {
		wanted[name] = spec.Programs[name]
	}
	spec.Programs = wanted
	if err := spec.Variables[tapsVarMask].Set(uint32(every - 1)); err != nil {
		return nil, err
	}
	c, err := ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{MapReplacements: t.shared})
	if err != nil {
		return nil, fmt.Errorf("load the taps: %w", err)
	}
	if t.shared == nil {
		t.shared = map[string]*ebpf.Map{}
		for _, name := range []string{tapsMapCounts, tapsMapPassages, tapsMapSlots} {
			if t.shared[name], err = c.Maps[name].Clone(); err != nil {
				return nil, fmt.Errorf("share the taps' maps: %w", err)
			}
		}
	}
	return c, nil
}

// atPorts attaches classifiers to the UPF's ports.
func (t *Taps) atPorts(c Config) error {
	spec, err := loadTaps()
	if err != nil {
		return err
	}
	loaded, err := t.load(spec, c.Every, tapsProgN3In, tapsProgN3Out, tapsProgN6In, tapsProgN6Out)
	if err != nil {
		return err
	}
	t.loaded = append(t.loaded, loaded)
	for _, at := range []struct {
		port    netdev.Port
		program string
		attach  ebpf.AttachType
	}{
		{c.N3, tapsProgN3In, ebpf.AttachTCXIngress}, {c.N6, tapsProgN6Out, ebpf.AttachTCXEgress},
		{c.N6, tapsProgN6In, ebpf.AttachTCXIngress}, {c.N3, tapsProgN3Out, ebpf.AttachTCXEgress},
	} {
		if err := t.classify(at.port, loaded.Programs[at.program], at.attach); err != nil {
			return err
		}
	}
	return nil
}

func (t *Taps) classify(p netdev.Port, program *ebpf.Program, at ebpf.AttachType) error {
	err := p.NS.Do(func() error {
		l, err := link.AttachTCX(link.TCXOptions{Interface: p.Index, Program: program, Attach: at})
		if err == nil {
			t.links = append(t.links, l)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("attach a tap to %s: %w (Linux 6.6 is needed)", p.Name, err)
	}
	return nil
}

// beforePrograms puts taps before the UPF's XDP programs and at the other ends of its
// links: before the program there, or as classifiers where there is none.
func (t *Taps) beforePrograms(c Config) error {
	for _, at := range []struct {
		port      netdev.Port
		direction record.Direction
		in        bool
	}{
		{c.N3, record.Uplink, true}, {c.DN, record.Uplink, false},
		{c.N6, record.Downlink, true}, {c.GNB, record.Downlink, false},
	} {
		chain, err := xdpchain.Before(at.port, func(kind func(*ebpf.ProgramSpec)) (xdpchain.Loaded, error) {
			return t.chained(c.Every, at.direction, at.in, kind)
		})
		switch {
		case err != nil:
			return fmt.Errorf("put a tap before the XDP program of %s: %w", at.port.Name, err)
		case chain != nil:
			t.chains = append(t.chains, chain)
		case at.in:
			return fmt.Errorf("%s has no XDP program to put a tap before", at.port.Name)
		default:
			return fmt.Errorf("%s has no XDP program, and so what the UPF sends cannot be timed there", at.port.Name)
		}
	}
	return nil
}

// chained loads the program that stands before another.
func (t *Taps) chained(every int, d record.Direction, in bool, kind func(*ebpf.ProgramSpec)) (l xdpchain.Loaded, err error) {
	spec, err := loadTaps()
	if err != nil {
		return l, err
	}
	kind(spec.Programs[tapsProgBefore])
	if err := spec.Variables[tapsVarDirection].Set(indexOf(d)); err != nil {
		return l, err
	}
	if err := spec.Variables[tapsVarComesIn].Set(in); err != nil {
		return l, err
	}
	c, err := t.load(spec, every, tapsProgBefore)
	if err != nil {
		return l, err
	}
	return xdpchain.Loaded{Program: c.Programs[tapsProgBefore], Next: c.Maps[tapsMapNext], Close: func() error { c.Close(); return nil }}, nil
}
