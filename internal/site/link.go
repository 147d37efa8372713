package site

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Port is one end of a link.
type Port struct {
	NS     *Namespace
	Name   string // of the device
	Index  int
	MAC    net.HardwareAddr
	Addr   netip.Addr
	Prefix int

	lower    *Port // the device that sends and receives for it: a macvlan device's parent
	physical bool  // it is a device of the host
}

// device is what sends and receives for the port: its NAPI, GRO and rings.
func (p *Port) device() *Port {
	if p.lower != nil {
		return p.lower
	}
	return p
}

// linkSpec describes a link: the tester's end and the UPF's.
type linkSpec struct {
	kind     Kind
	name     string // base of the devices' names
	tester   *Namespace
	upf      *Namespace
	testerIP netip.Addr
	upfIP    netip.Addr
	prefix   int
	mtu      int
	queues   int  // receive queues of the UPF's end
	id       byte // makes the MAC addresses unique within a testbed

	between              *Namespace // for what stands between the ends
	claim                *Claim     // of a physical link
	device, testerDevice string     // of a physical link
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
	p = p.device()
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
	p = p.device()
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return 0, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	if s := link.Attrs().Statistics; s != nil {
		return s.TxDropped, nil
	}
	return 0, nil
}

// Packets is how many the port has received and sent so far, XDP's among them.
func (p *Port) Packets() (received, sent uint64, err error) {
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return 0, 0, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	if s := link.Attrs().Statistics; s != nil {
		return s.RxPackets, s.TxPackets, nil
	}
	return 0, 0, nil
}

// Missed is how many packets a NIC had no room for in its receive ring. A veth's
// are the other end's TxDropped.
func (p *Port) Missed() (uint64, error) {
	if !p.physical {
		return 0, nil
	}
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return 0, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	if s := link.Attrs().Statistics; s != nil {
		return s.RxMissedErrors, nil
	}
	return 0, nil
}

// Stats reads the driver's counters, as `ethtool -S` shows them; none from a driver
// that has none.
func (p *Port) Stats() (map[string]uint64, error) {
	p = p.device()
	var stats map[string]uint64
	err := p.ethtool(func(e *ethtool.Ethtool) (err error) {
		stats, err = e.Stats(p.Name)
		if errors.Is(err, unix.EOPNOTSUPP) {
			return nil
		}
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
	p = p.device()
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
