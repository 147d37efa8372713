package calibrator

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/afpacket"
)

// classifier keeps the user plane's packets from the kernel.
type classifier struct {
	objects keepObjects
	kernel  *netlink.Handle
	qdiscs  []netlink.Qdisc
}

// newClassifier attaches to both ports, in the namespace of the calling thread.
func newClassifier(cfg Config, n3, n6 *afpacket.Port) (*classifier, error) {
	c := &classifier{}
	if err := c.load(cfg); err != nil {
		return nil, fmt.Errorf("calibrator: load the classifier: %w: root is needed, or CAP_BPF and CAP_NET_ADMIN", err)
	}
	var err error
	if c.kernel, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return nil, errors.Join(fmt.Errorf("calibrator: open netlink: %w", err), c.close())
	}
	for _, at := range []struct {
		port    *afpacket.Port
		program *ebpf.Program
	}{{n3, c.objects.EndN3}, {n6, c.objects.EndN6}} {
		if err := c.attach(at.port, at.program); err != nil {
			return nil, errors.Join(fmt.Errorf("calibrator: attach to the ingress of %s: %w: `tc qdisc del dev %s clsact` frees it",
				at.port.Name(), err, at.port.Name()), c.close())
		}
	}
	return c, nil
}

func (c *classifier) load(cfg Config) error {
	spec, err := loadKeep()
	if err != nil {
		return err
	}
	var list [maxPools]keepPool
	for i, p := range cfg.UEPools {
		list[i].Address = wire(p.Masked().Addr())
		list[i].Mask = binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, ^uint32(0)<<(32-p.Bits())))
	}
	err = errors.Join(
		spec.Variables[keepVarN3Address].Set(wire(cfg.N3Address)),
		spec.Variables[keepVarPoolCount].Set(uint32(len(cfg.UEPools))),
		spec.Variables[keepVarPools].Set(list),
	)
	if err != nil {
		return err
	}
	return spec.LoadAndAssign(&c.objects, nil)
}

// wire gives an IPv4 address as a program reads it from a packet.
func wire(a netip.Addr) uint32 {
	b := a.As4()
	return binary.NativeEndian.Uint32(b[:])
}

func (c *classifier) attach(p *afpacket.Port, program *ebpf.Program) error {
	qdisc := &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: p.Index(), Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT,
	}}
	if err := c.kernel.QdiscAdd(qdisc); err != nil {
		return err
	}
	c.qdiscs = append(c.qdiscs, qdisc)
	return c.kernel.FilterAdd(&netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{
			LinkIndex: p.Index(), Parent: netlink.HANDLE_MIN_INGRESS, Handle: 1, Protocol: unix.ETH_P_ALL, Priority: 1,
		},
		Fd: program.FD(), Name: "calibrator", DirectAction: true,
	})
}

// close detaches. An interface that is gone has taken its classifiers with it.
func (c *classifier) close() error {
	errs := []error{c.objects.Close()}
	for _, q := range c.qdiscs {
		if err := c.kernel.QdiscDel(q); err != nil && !errors.Is(err, unix.ENODEV) {
			errs = append(errs, fmt.Errorf("calibrator: detach the classifier: %w", err))
		}
	}
	if c.kernel != nil {
		c.kernel.Close()
	}
	return errors.Join(errs...)
}
