package xdp

import (
	"errors"
	"maps"

	"github.com/cilium/ebpf"
)

// collection is what was loaded, with all its maps by name: the same programs can be
// loaded again over them.
type collection struct {
	rest *ebpf.Collection // what nobody else closes
	maps map[string]*ebpf.Map
}

// load loads a collection and assigns it.
func load(spec *ebpf.CollectionSpec, to any) (*collection, error) {
	loaded, err := ebpf.NewCollection(spec)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(loaded.Maps)
	delete(all, ".rodata") // the constants are what differs
	if err := loaded.Assign(to); err != nil {
		loaded.Close()
		return nil, err
	}
	return &collection{loaded, all}, nil
}

// again loads programs with other constants. They use the same maps, but for those that
// are given.
func (c *collection) again(spec *ebpf.CollectionSpec, other map[string]*ebpf.Map, to any) error {
	use := maps.Clone(c.maps)
	maps.Copy(use, other)
	for name, m := range use {
		spec.Maps[name].MaxEntries = m.MaxEntries()
	}
	return spec.LoadAndAssign(to, &ebpf.CollectionOptions{MapReplacements: use})
}

func (c *collection) close() {
	if c != nil {
		c.rest.Close()
	}
}

// closeAll closes programs that may not be loaded.
func closeAll(programs ...*ebpf.Program) (err error) {
	for _, p := range programs {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}
