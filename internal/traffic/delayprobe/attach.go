package delayprobe

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/xdpchain"
	"github.com/upflab/upflab/internal/record"
)

// load loads the named programs alone, with the maps that all share.
func (t *Probes) load(spec *ebpf.CollectionSpec, every int, names ...string) (*ebpf.Collection, error) {
	wanted := map[string]*ebpf.ProgramSpec{}
	for _, name := range names {
		wanted[name] = spec.Programs[name]
	}
	spec.Programs = wanted
	if err := spec.Variables[probesVarMask].Set(uint32(every - 1)); err != nil {
		return nil, err
	}
	c, err := ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{MapReplacements: t.shared})
	if err != nil {
		return nil, fmt.Errorf("load the probes: %w", err)
	}
	if t.shared == nil {
		t.shared = map[string]*ebpf.Map{}
		for _, name := range []string{probesMapCounts, probesMapPassages, probesMapSlots} {
			if t.shared[name], err = c.Maps[name].Clone(); err != nil {
				return nil, fmt.Errorf("share the probes' maps: %w", err)
			}
		}
	}
	return c, nil
}

// atPorts attaches classifiers to the UPF's ports, or, where what it sends is not seen, probes to
// the other ends of its links.
func (t *Probes) atPorts(c Config) error {
	spec, err := loadProbes()
	if err != nil {
		return err
	}
	loaded, err := t.load(spec, c.Every, probesProgN3In, probesProgN3Out, probesProgN6In, probesProgN6Out)
	if err != nil {
		return err
	}
	t.loaded = append(t.loaded, loaded)
	for _, way := range []struct {
		in, out, beyond netdev.Port
		inBy, outBy     string
		direction       record.Direction
	}{
		{c.N3, c.N6, c.DN, probesProgN3In, probesProgN6Out, record.Uplink},
		{c.N6, c.N3, c.GNB, probesProgN6In, probesProgN3Out, record.Downlink},
	} {
		if err := t.classify(way.in, loaded.Programs[way.inBy], ebpf.AttachTCXIngress); err != nil {
			return err
		}
		if err := t.classifyOut(c, way.out, way.beyond, loaded.Programs[way.outBy], way.direction); err != nil {
			return err
		}
	}
	return nil
}

// classifyOut attaches the probe where packets leave the UPF by a port, or beyond its link.
func (t *Probes) classifyOut(c Config, port, beyond netdev.Port, program *ebpf.Program, d record.Direction) error {
	if !c.Unseen {
		return t.classify(port, program, ebpf.AttachTCXEgress)
	}
	if !beyond.Readable() {
		return fmt.Errorf("what the UPF sends by AF_XDP cannot be timed at %s, and the link's other end is on another machine", port.Name)
	}
	if found, err := t.before(beyond, c.Every, d, false); found || err != nil {
		return err
	}
	return t.classify(beyond, program, ebpf.AttachTCXIngress)
}

func (t *Probes) classify(p netdev.Port, program *ebpf.Program, at ebpf.AttachType) error {
	err := p.NS.Do(func() error {
		l, err := link.AttachTCX(link.TCXOptions{Interface: p.Index, Program: program, Attach: at})
		if err == nil {
			t.links = append(t.links, l)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("attach a probe to %s: %w (Linux 6.6 is needed)", p.Name, err)
	}
	return nil
}

// beforePrograms puts probes before the UPF's XDP programs and before those at the other ends of
// its links.
func (t *Probes) beforePrograms(c Config) error {
	for _, at := range []struct {
		port      netdev.Port
		direction record.Direction
		in        bool
	}{
		{c.N3, record.Uplink, true}, {c.DN, record.Uplink, false},
		{c.N6, record.Downlink, true}, {c.GNB, record.Downlink, false},
	} {
		found, err := t.before(at.port, c.Every, at.direction, at.in)
		switch {
		case err != nil:
			return err
		case found:
		case at.in:
			return fmt.Errorf("%s has no XDP program to put a probe before", at.port.Name)
		default:
			return fmt.Errorf("%s has no XDP program, and so what the UPF sends cannot be timed there", at.port.Name)
		}
	}
	return nil
}

// before puts a probe before a port's XDP program; false: it has none.
func (t *Probes) before(p netdev.Port, every int, d record.Direction, in bool) (bool, error) {
	chain, err := xdpchain.Before(p, func(kind func(*ebpf.ProgramSpec)) (xdpchain.Loaded, error) {
		return t.chained(every, d, in, kind)
	})
	if err != nil {
		return false, fmt.Errorf("put a probe before the XDP program of %s: %w", p.Name, err)
	}
	if chain == nil {
		return false, nil
	}
	t.chains = append(t.chains, chain)
	return true, nil
}

// chained loads the program that stands before another.
func (t *Probes) chained(every int, d record.Direction, in bool, kind func(*ebpf.ProgramSpec)) (l xdpchain.Loaded, err error) {
	spec, err := loadProbes()
	if err != nil {
		return l, err
	}
	kind(spec.Programs[probesProgBefore])
	if err := spec.Variables[probesVarDirection].Set(indexOf(d)); err != nil {
		return l, err
	}
	if err := spec.Variables[probesVarComesIn].Set(in); err != nil {
		return l, err
	}
	c, err := t.load(spec, every, probesProgBefore)
	if err != nil {
		return l, err
	}
	return xdpchain.Loaded{Program: c.Programs[probesProgBefore], Next: c.Maps[probesMapNext],
		Close: func() error { c.Close(); return nil }}, nil
}
