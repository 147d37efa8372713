package xdp

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/cilium/ebpf"
)

// mac is the MAC address of an interface, as the programs have it: they leave frames to others to the kernel.
type mac struct {
	port    port
	program *ebpf.Variable
	known   atomic.Uint64 // as inFrame gives it
}

// put writes the address into a frame, as its destination.
func (m *mac) put(frame []byte) {
	var octets [8]byte
	binary.LittleEndian.PutUint64(octets[:], m.known.Load())
	copy(frame, octets[2:])
}

func macsOf(o *upfObjects, ports []port) (macs []*mac) {
	for i, p := range ports {
		macs = append(macs, &mac{port: p, program: []*ebpf.Variable{o.N3Mac, o.N6Mac}[i]})
	}
	return macs
}

// readMACs has the programs know the interfaces' MAC addresses.
func (r *router) readMACs() error {
	for _, m := range r.macs {
		link, err := r.kernel.LinkByIndex(m.port.index)
		if err != nil {
			return fmt.Errorf("xdp: read the MAC address of %s: %w", m.port.name, err)
		}
		now := inFrame(link.Attrs().HardwareAddr)
		if now == m.known.Load() {
			continue
		}
		if err := m.program.Set(now); err != nil {
			return fmt.Errorf("xdp: set the MAC address of %s: %w", m.port.name, err)
		}
		m.known.Store(now)
	}
	return nil
}

// inFrame is a MAC address as is_own of bpf/own.h reads it from a frame.
func inFrame(address []byte) uint64 {
	var octets [8]byte
	copy(octets[2:], address)
	return binary.LittleEndian.Uint64(octets[:])
}
