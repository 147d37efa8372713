// Package wire is the DUT with no UPF in it: an XDP program that forwards bare
// frames between N3 and N6. Every run measures it together with the UPFs.
package wire

import (
	"errors"
	"fmt"
	"net"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/upflab/upflab/internal/lab/site"
)

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -idirafter /usr/include/x86_64-linux-gnu" wire bpf/wire.c

// Wire forwards between the UPF's two ports of a testbed.
type Wire struct {
	objects wireObjects
	links   []link.Link
	native  bool // XDP in the drivers
}

// Open attaches it. Close it when done.
func Open(t site.Site) (*Wire, error) {
	w := &Wire{native: site.NativeXDP(t)}
	spec, err := loadWire()
	if err != nil {
		return nil, err
	}
	n3, n6 := wireMacs{}, wireMacs{}
	copyMACs(&n3, t.Links().GNB.MAC, t.Links().UPFN3.MAC)
	copyMACs(&n6, t.Links().DNN6.MAC, t.Links().UPFN6.MAC)
	if err := errors.Join(spec.Variables[wireVarN3].Set(n3), spec.Variables[wireVarN6].Set(n6)); err != nil {
		return nil, err
	}
	if err := spec.LoadAndAssign(&w.objects, nil); err != nil {
		return nil, fmt.Errorf("load wire: %w", err)
	}
	if err := t.UPF().Do(func() error { return w.attach(t.Links().UPFN3.Index, t.Links().UPFN6.Index) }); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func copyMACs(m *wireMacs, to, from net.HardwareAddr) {
	copy(m.To[:], to)
	copy(m.From[:], from)
}

func (w *Wire) attach(n3, n6 int) error {
	for port, index := range []int{n3, n6} {
		if err := w.objects.Ports.Put(uint32(port), uint32(index)); err != nil {
			return fmt.Errorf("set port %d of wire: %w", index, err)
		}
	}
	mode := link.XDPGenericMode
	if w.native {
		mode = link.XDPDriverMode
	}
	for index, program := range map[int]*ebpf.Program{n3: w.objects.FromN3, n6: w.objects.FromN6} {
		l, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: index, Flags: mode})
		if err != nil {
			return fmt.Errorf("attach wire: %w", err)
		}
		w.links = append(w.links, l)
	}
	return nil
}

// Close detaches and frees it.
func (w *Wire) Close() error {
	var errs []error
	for _, l := range w.links {
		errs = append(errs, l.Close())
	}
	return errors.Join(append(errs, w.objects.Close())...)
}
