package wire

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// Bridge is a wire without BPF: N3 and N6 of the UPF's namespace are the ports of
// an Ethernet bridge. Frames have to be addressed to the port where they are to
// arrive. It goes with the namespace.
type Bridge struct{}

// OpenBridge makes it.
func OpenBridge(t site.Site) (*Bridge, error) {
	nl := t.UPF().Netlink()
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = "wire", t.Spec().MTU
	off := false
	bridge := &netlink.Bridge{LinkAttrs: attrs, MulticastSnooping: &off}
	if err := nl.LinkAdd(bridge); err != nil {
		return nil, fmt.Errorf("make a bridge for the wire: %w (CONFIG_BRIDGE is needed)", err)
	}
	if err := nl.LinkSetUp(bridge); err != nil {
		return nil, fmt.Errorf("bring the wire's bridge up: %w", err)
	}
	return &Bridge{}, errors.Join(join(nl, bridge, t.Links().UPFN3, t.Links().GNB), join(nl, bridge, t.Links().UPFN6, t.Links().DNN6))
}

// join makes a port of the UPF the bridge's, with the tester's port behind it, which
// it then need not learn.
func join(nl *netlink.Handle, bridge netlink.Link, port, behind netdev.Port) error {
	link, err := nl.LinkByIndex(port.Index)
	if err == nil {
		err = nl.LinkSetMaster(link, bridge)
	}
	if err != nil {
		return fmt.Errorf("make %s a port of the wire's bridge: %w", port.Name, err)
	}
	// static; permanent would mean the bridge itself
	n := &netlink.Neigh{LinkIndex: port.Index, Family: unix.AF_BRIDGE, State: netlink.NUD_NOARP,
		Flags: netlink.NTF_MASTER, HardwareAddr: behind.MAC}
	if err := nl.NeighSet(n); err != nil {
		return fmt.Errorf("add the neighbour behind %s to the wire's bridge: %w", port.Name, err)
	}
	return nil
}
