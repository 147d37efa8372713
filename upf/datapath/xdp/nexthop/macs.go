package nexthop

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/cilium/ebpf"
)

// mac is the MAC address of an interface, as the programs have it: they leave frames to others to the kernel.
type mac struct {
	port    Port
	program *ebpf.Variable
	known   atomic.Uint64 // as inFrame gives it
}

// PutMAC writes the MAC address of the first port into a frame, as its destination.
func (r *Router) PutMAC(frame []byte) {
	var octets [8]byte
	binary.LittleEndian.PutUint64(octets[:], r.macs[0].known.Load())
	copy(frame, octets[2:])
}

func macsOf(ports []Port) (macs []*mac) {
	for _, p := range ports {
		macs = append(macs, &mac{port: p, program: p.MAC})
	}
	return macs
}

// readMACs has the programs know the interfaces' MAC addresses.
func (r *Router) readMACs() error {
	for _, m := range r.macs {
		link, err := r.kernel.LinkByIndex(m.port.Index)
		if err != nil {
			return fmt.Errorf("xdp: read the MAC address of %s: %w", m.port.Name, err)
		}
		now := inFrame(link.Attrs().HardwareAddr)
		if now == m.known.Load() {
			continue
		}
		if err := m.program.Set(now); err != nil {
			return fmt.Errorf("xdp: set the MAC address of %s: %w", m.port.Name, err)
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
