package netdev

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Classify attaches a BPF classifier, by its file descriptor, to the ingress of the port
// in direct-action mode. detach takes it off; a device that is gone has taken it along.
func (p *Port) Classify(name string, fd int) (detach func() error, err error) {
	qdisc := &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: p.Index, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT,
	}}
	if err := p.NS.nl.QdiscAdd(qdisc); err != nil {
		return nil, fmt.Errorf("add clsact to %s: %w (CONFIG_NET_SCH_INGRESS; `tc qdisc del dev %s clsact` frees it)", p.Name, err, p.Name)
	}
	detach = func() error {
		err := p.NS.nl.QdiscDel(qdisc)
		if err == nil || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOENT) {
			return nil
		}
		return fmt.Errorf("remove clsact from %s: %w", p.Name, err)
	}
	err = p.NS.nl.FilterAdd(&netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{
			LinkIndex: p.Index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: 1, Protocol: unix.ETH_P_ALL, Priority: 1,
		},
		Fd: fd, Name: name, DirectAction: true,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("attach %s to the ingress of %s: %w (CONFIG_NET_CLS_BPF)", name, p.Name, err), detach())
	}
	return detach, nil
}
