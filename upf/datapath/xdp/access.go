package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"github.com/cilium/ebpf"
)

// The bits of enum allowed in bpf/config.h.
const (
	allowPlainN3 = 1 << iota
	allowPlainN6
	allowNested
)

func (a Allow) bits() (bits uint32) {
	if a.PlainN3 {
		bits |= allowPlainN3
	}
	if a.PlainN6 {
		bits |= allowPlainN6
	}
	if a.Nested {
		bits |= allowNested
	}
	return bits
}

// configureAccess sets what the programs let through besides tunnels and UEs.
func configureAccess(spec *ebpf.CollectionSpec, cfg Config) error {
	egress, n, err := egressOf(cfg)
	if err != nil {
		return err
	}
	var local [MaxLocal]upfPool
	for i, p := range cfg.Allow.Local {
		local[i] = poolOf(p)
	}
	return errors.Join(
		spec.Variables[upfVarAllowed].Set(cfg.Allow.bits()),
		spec.Variables[upfVarLocalCount].Set(uint32(len(cfg.Allow.Local))),
		spec.Variables[upfVarLocal].Set(local),
		spec.Variables[upfVarEgressCount].Set(n),
		spec.Variables[upfVarEgress].Set(egress),
		configureN4(spec, cfg.N4),
	)
}

// egressOf lists the interfaces that uplink packets may leave by.
func egressOf(cfg Config) (all [MaxInterfaces + 1]uint32, n uint32, err error) {
	for _, name := range append([]string{cfg.N6}, cfg.Allow.Interfaces...) {
		index, err := interfaceIndex(name)
		if err != nil {
			return all, n, err
		}
		all[n] = uint32(index)
		n++
	}
	return all, n, nil
}

func configureN4(spec *ebpf.CollectionSpec, n4 N4) error {
	if !n4.Address.IsValid() {
		return nil
	}
	index, err := 0, error(nil)
	if n4.Interface != "" {
		if index, err = interfaceIndex(n4.Interface); err != nil {
			return err
		}
	}
	var port [2]byte
	binary.BigEndian.PutUint16(port[:], n4.Address.Port())
	return errors.Join(
		spec.Variables[upfVarN4Address].Set(wire(n4.Address.Addr())),
		spec.Variables[upfVarN4Port].Set(binary.NativeEndian.Uint16(port[:])),
		spec.Variables[upfVarN4Ifindex].Set(uint32(index)),
	)
}

func interfaceIndex(name string) (int, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return 0, fmt.Errorf("find interface %q in this network namespace: %w: see ip link", name, err)
	}
	return ifc.Index, nil
}
