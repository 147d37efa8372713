package testbed

import (
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
)

// Port is one end of a link.
type Port struct {
	NS     *Namespace
	Name   string // of the device
	Index  int
	MAC    net.HardwareAddr
	Addr   netip.Addr
	Prefix int
}

// linkSpec describes a veth pair: the tester's end and the UPF's.
type linkSpec struct {
	name     string // base of the devices' names
	tester   *Namespace
	upf      *Namespace
	testerIP netip.Addr
	upfIP    netip.Addr
	prefix   int
	mtu      int
	queues   int  // receive queues of the UPF's end
	id       byte // makes the MAC addresses unique within a testbed
}

// newLink makes a veth pair with fixed MAC addresses, permanent neighbours and
// offloads off: frames cross it exactly as they were built.
func newLink(s linkSpec) (tester, upf Port, err error) {
	tester = Port{NS: s.tester, Name: s.name, MAC: mac(s.id, 1), Addr: s.testerIP, Prefix: s.prefix}
	upf = Port{NS: s.upf, Name: s.name, MAC: mac(s.id, 2), Addr: s.upfIP, Prefix: s.prefix}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = tester.Name, s.mtu, tester.MAC
	attrs.NumRxQueues, attrs.NumTxQueues = 1, s.queues
	veth := &netlink.Veth{
		LinkAttrs: attrs, PeerName: upf.Name, PeerHardwareAddr: upf.MAC, PeerMTU: uint32(s.mtu),
		PeerNumRxQueues: uint32(s.queues), PeerNumTxQueues: 1,
		PeerNamespace: netlink.NsFd(int(s.upf.ns)),
	}
	if err := s.tester.nl.LinkAdd(veth); err != nil {
		return tester, upf, fmt.Errorf("make veth pair %s: %w", s.name, err)
	}
	for _, end := range []struct{ port, peer *Port }{{&tester, &upf}, {&upf, &tester}} {
		if err := end.port.configure(end.peer); err != nil {
			return tester, upf, err
		}
	}
	return tester, upf, nil
}

// configure sets the address, the offloads and the neighbour, and brings the
// port up.
func (p *Port) configure(peer *Port) error {
	link, err := p.NS.nl.LinkByName(p.Name)
	if err != nil {
		return fmt.Errorf("find %s in %s: %w", p.Name, p.NS.Name, err)
	}
	p.Index = link.Attrs().Index
	addr := &netlink.Addr{IPNet: &net.IPNet{IP: p.Addr.AsSlice(), Mask: net.CIDRMask(p.Prefix, p.Addr.BitLen())}}
	if err := p.NS.nl.AddrAdd(link, addr); err != nil {
		return fmt.Errorf("set %s on %s: %w", addr.IPNet, p.Name, err)
	}
	if err := p.offloadsOff(); err != nil {
		return err
	}
	if err := p.NS.nl.LinkSetUp(link); err != nil {
		return fmt.Errorf("bring up %s: %w", p.Name, err)
	}
	return p.neighbour(peer.Addr, peer.MAC)
}

// neighbour installs a permanent neighbour entry on the port.
func (p *Port) neighbour(ip netip.Addr, hw net.HardwareAddr) error {
	n := &netlink.Neigh{LinkIndex: p.Index, State: netlink.NUD_PERMANENT, IP: ip.AsSlice(), HardwareAddr: hw}
	if err := p.NS.nl.NeighSet(n); err != nil {
		return fmt.Errorf("set neighbour %s on %s: %w", ip, p.Name, err)
	}
	return nil
}

// offloads are switched off where a device has them: they would merge or leave
// unfinished what is sent.
var offloads = map[string]bool{
	"tx-checksum-ip-generic": false, "tx-tcp-segmentation": false, "tx-tcp6-segmentation": false,
	"tx-generic-segmentation": false, "rx-gro": false, "tx-scatter-gather": false, "tx-udp-segmentation": false,
}

func (p *Port) offloadsOff() error {
	return p.ethtool(func(e *ethtool.Ethtool) error {
		have, err := e.Features(p.Name)
		if err != nil {
			return fmt.Errorf("read offloads of %s: %w", p.Name, err)
		}
		want := map[string]bool{}
		for name, on := range offloads {
			if _, ok := have[name]; ok {
				want[name] = on
			}
		}
		if err := e.Change(p.Name, want); err != nil {
			return fmt.Errorf("switch offloads of %s off: %w", p.Name, err)
		}
		return nil
	})
}

// SetGRO switches generic receive offload, which gives a veth without an XDP
// program its NAPI context: without one nothing can be redirected to it.
func (p *Port) SetGRO(on bool) error {
	return p.ethtool(func(e *ethtool.Ethtool) error {
		if err := e.Change(p.Name, map[string]bool{"rx-gro": on}); err != nil {
			return fmt.Errorf("set GRO of %s to %v: %w", p.Name, on, err)
		}
		return nil
	})
}

// TxDropped is how many packets the port could not send, whatever kind: on a
// veth, mostly those for which the other end's receive ring had no room.
func (p *Port) TxDropped() (uint64, error) {
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return 0, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	if s := link.Attrs().Statistics; s != nil {
		return s.TxDropped, nil
	}
	return 0, nil
}

// Stats reads the driver's counters, as `ethtool -S` shows them.
func (p *Port) Stats() (map[string]uint64, error) {
	var stats map[string]uint64
	err := p.ethtool(func(e *ethtool.Ethtool) (err error) {
		stats, err = e.Stats(p.Name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	return stats, nil
}

func (p *Port) ethtool(f func(*ethtool.Ethtool) error) error {
	return p.NS.Do(func() error {
		e, err := ethtool.NewEthtool()
		if err != nil {
			return fmt.Errorf("open ethtool: %w", err)
		}
		defer e.Close()
		return f(e)
	})
}

// SetThreaded gives the port's NAPI contexts kernel threads of their own, which
// can be pinned and whose CPU time is counted.
func (p *Port) SetThreaded(on bool) error {
	value := "0"
	if on {
		value = "1"
	}
	return p.NS.doWithSysfs(func() error {
		if err := os.WriteFile("/sys/class/net/"+p.Name+"/threaded", []byte(value), 0); err != nil {
			return fmt.Errorf("make NAPI of %s threaded: %w (Linux 5.12 or later is needed)", p.Name, err)
		}
		return nil
	})
}

// mac is a locally administered address: link id, then end.
func mac(id, end byte) net.HardwareAddr { return net.HardwareAddr{0x02, 0x75, 0x70, 0x66, id, end} }
