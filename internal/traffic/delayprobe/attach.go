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

// atPorts attaches classifiers to the UPF's ports, or, where what it sends is not seen, taps to
// the other ends of its links.
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
	for _, way := range []struct {
		in, out, beyond netdev.Port
		inBy, outBy     string
		direction       record.Direction
	}{
		{c.N3, c.N6, c.DN, tapsProgN3In, tapsProgN6Out, record.Uplink},
		{c.N6, c.N3, c.GNB, tapsProgN6In, tapsProgN3Out, record.Downlink},
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

// classifyOut attaches the tap where packets leave the UPF by a port, or beyond its link.
func (t *Taps) classifyOut(c Config, port, beyond netdev.Port, program *ebpf.Program, d record.Direction) error {
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

// beforePrograms puts taps before the UPF's XDP programs and before those at the other ends of
// its links.
func (t *Taps) beforePrograms(c Config) error {
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
			return fmt.Errorf("%s has no XDP program to put a tap before", at.port.Name)
		default:
			return fmt.Errorf("%s has no XDP program, and so what the UPF sends cannot be timed there", at.port.Name)
		}
	}
	return nil
}

// before puts a tap before a port's XDP program; false: it has none.
func (t *Taps) before(p netdev.Port, every int, d record.Direction, in bool) (bool, error) {
	chain, err := xdpchain.Before(p, func(kind func(*ebpf.ProgramSpec)) (xdpchain.Loaded, error) {
		return t.chained(every, d, in, kind)
	})
	if err != nil {
		return false, fmt.Errorf("put a tap before the XDP program of %s: %w", p.Name, err)
	}
	if chain == nil {
		return false, nil
	}
	t.chains = append(t.chains, chain)
	return true, nil
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
