package decap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// decapsulator is attached to the UPF's two ports until it is closed.
type decapsulator struct {
	mode    string
	native  bool // XDP in the drivers
	objects decapObjects
	undo    []func() error
}

func open(env dut.Env) (*decapsulator, error) {
	d := &decapsulator{mode: env.Mode, native: site.NativeXDP(env.Site)}
	spec, err := loadDecap()
	if err != nil {
		return nil, err
	}
	if err := configure(spec, env); err != nil {
		return nil, err
	}
	if err := spec.LoadAndAssign(&d.objects, nil); err != nil {
		return nil, fmt.Errorf("load the decapsulator: %w", err)
	}
	l := env.Site.Links()
	if err := d.attach(&l.UPFN3, &l.UPFN6); err != nil {
		return nil, errors.Join(fmt.Errorf("attach the decapsulator: %w", err), d.close())
	}
	return d, nil
}

func configure(spec *ebpf.CollectionSpec, env dut.Env) error {
	l, s := env.Site.Links(), env.Scenario
	first, first6 := s.UE.First.As4(), s.UE.First6.As16()
	return errors.Join(
		spec.Variables[decapVarN3Macs].Set(macs(l.GNB.MAC, l.UPFN3.MAC)),
		spec.Variables[decapVarN6Macs].Set(macs(l.DNN6.MAC, l.UPFN6.MAC)),
		spec.Variables[decapVarN3Port].Set(uint32(l.UPFN3.Index)),
		spec.Variables[decapVarN6Port].Set(uint32(l.UPFN6.Index)),
		spec.Variables[decapVarUpf].Set(asRead(l.UPFN3.Addr)),
		spec.Variables[decapVarGnb].Set(asRead(l.GNB.Addr)),
		spec.Variables[decapVarFirstUe].Set(binary.BigEndian.Uint32(first[:])),
		spec.Variables[decapVarFirstPrefix].Set(binary.BigEndian.Uint32(first6[4:])),
		spec.Variables[decapVarFirstTeid].Set(s.TEID.Downlink),
		spec.Variables[decapVarQfi].Set(s.QFI),
	)
}

func macs(to, from net.HardwareAddr) (m decapMacs) {
	copy(m.To[:], to)
	copy(m.From[:], from)
	return m
}

// asRead gives an IPv4 address as a program reads it from a packet.
func asRead(a netip.Addr) uint32 {
	b := a.As4()
	return binary.NativeEndian.Uint32(b[:])
}

func (d *decapsulator) attach(n3, n6 *netdev.Port) error {
	if d.mode == modeXDP {
		return d.attachXDP(n3, n6)
	}
	for p, program := range map[*netdev.Port]*ebpf.Program{n3: d.objects.TcFromN3, n6: d.objects.TcFromN6} {
		detach, err := p.Classify("upflab-decap", program.FD())
		if err != nil {
			return err
		}
		d.undo = append(d.undo, detach)
	}
	return nil
}

// attachXDP works inside the UPF's namespace, whose numbers of devices it uses.
func (d *decapsulator) attachXDP(n3, n6 *netdev.Port) error {
	mode := link.XDPGenericMode
	if d.native {
		mode = link.XDPDriverMode
	}
	return n3.NS.Do(func() error {
		for i, p := range []*netdev.Port{n3, n6} {
			if err := d.objects.Ports.Put(uint32(i), uint32(p.Index)); err != nil {
				return fmt.Errorf("set port %s: %w", p.Name, err)
			}
		}
		for p, program := range map[*netdev.Port]*ebpf.Program{n3: d.objects.XdpFromN3, n6: d.objects.XdpFromN6} {
			l, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: p.Index, Flags: mode})
			if err != nil {
				return err
			}
			d.undo = append(d.undo, l.Close)
		}
		return nil
	})
}

func (d *decapsulator) close() error {
	var errs []error
	for _, f := range d.undo {
		errs = append(errs, f())
	}
	return errors.Join(append(errs, d.objects.Close())...)
}
