package datanet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// uplink leads the UEs to the networks that this machine reaches: connections and
// datagrams to any host end in the data network's namespace, and upflab opens the same
// from the machine's. It is a NAT in user space: nothing of the machine is changed. There is
// no ICMP in it.
type uplink struct {
	ns       *netdev.Namespace
	objects  uplinkObjects
	attached *link.NetNsLink
	tcp      net.Listener
	udp      *net.UDPConn
	dial     dialer

	running sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	open    map[interface{ Close() error }]bool
	flows   map[flow]*net.UDPConn // towards the machine's networks
}

// table of the data network's namespace in which every address is local, for what comes
// in at N6.
const table = 84

// dialer connects to the machine's networks.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

func openUplink(ctx context.Context, ns *netdev.Namespace, n6 string, own netip.Addr, dial dialer) (*uplink, error) {
	u := &uplink{ns: ns, dial: dial, open: map[interface{ Close() error }]bool{}, flows: map[flow]*net.UDPConn{}}
	err := u.route(n6)
	if err == nil {
		err = u.listen(ctx, own)
	}
	if err == nil {
		err = u.attach(own)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the uplink: %w", err), u.close())
	}
	u.running.Go(func() { u.acceptAll(ctx) })
	u.running.Go(func() { u.receiveAll(ctx) })
	return u, nil
}

// route makes every destination local for what comes in at N6. It goes with the
// namespace.
func (u *uplink) route(n6 string) error {
	nl := u.ns.Netlink()
	lo, err := nl.LinkByName("lo")
	if err != nil {
		return err
	}
	all := &net.IPNet{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}
	local := &netlink.Route{Dst: all, LinkIndex: lo.Attrs().Index, Type: unix.RTN_LOCAL, Table: table, Scope: netlink.SCOPE_HOST}
	if err := nl.RouteReplace(local); err != nil {
		return fmt.Errorf("make all addresses local: %w", err)
	}
	rule := netlink.NewRule()
	rule.IifName, rule.Table, rule.Priority = n6, table, table
	if err := nl.RuleAdd(rule); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("add a rule for %s: %w (CONFIG_IP_MULTIPLE_TABLES)", n6, err)
	}
	return nil
}

func (u *uplink) listen(ctx context.Context, own netip.Addr) error {
	lc := net.ListenConfig{Control: transparent}
	at := netip.AddrPortFrom(own, 0).String() // any port: the program finds the sockets
	return u.ns.Do(func() (err error) {
		if u.tcp, err = lc.Listen(ctx, "tcp4", at); err != nil {
			return err
		}
		c, err := lc.ListenPacket(ctx, "udp4", at)
		if err == nil {
			u.udp = c.(*net.UDPConn)
		}
		return err
	})
}

// transparent lets a socket have an address that is another host's, and a datagram say
// where it was going.
func transparent(_, _ string, c syscall.RawConn) error {
	var err error
	set := func(fd uintptr) {
		err = errors.Join(
			unix.SetsockoptInt(int(fd), unix.SOL_IP, unix.IP_TRANSPARENT, 1),
			unix.SetsockoptInt(int(fd), unix.SOL_IP, unix.IP_RECVORIGDSTADDR, 1),
			unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1))
	}
	return errors.Join(c.Control(set), err)
}

func (u *uplink) attach(own netip.Addr) error {
	spec, err := loadUplink()
	if err != nil {
		return err
	}
	four := own.As4()
	if err := spec.Variables[uplinkVarOwn].Set(four); err != nil {
		return err
	}
	if err := spec.LoadAndAssign(&u.objects, nil); err != nil {
		return fmt.Errorf("load the program: %w", err)
	}
	for i, c := range []syscall.Conn{u.tcp.(*net.TCPListener), u.udp} {
		if err := u.put(uint32(i), c); err != nil {
			return err
		}
	}
	u.attached, err = link.AttachNetNs(u.ns.FD(), u.objects.ToUplink)
	return err
}

func (u *uplink) put(at uint32, c syscall.Conn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = u.objects.Sockets.Put(at, uint64(fd)) })
	return errors.Join(err, failed)
}

// keep closes c with the uplink; false: it is closed, and so is c.
func (u *uplink) keep(c interface{ Close() error }) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		c.Close()
		return false
	}
	u.open[c] = true
	return true
}

func (u *uplink) drop(c interface{ Close() error }) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.open, c)
	c.Close()
}

func (u *uplink) close() error {
	var errs []error
	if u.attached != nil {
		errs = append(errs, u.attached.Close())
	}
	if u.tcp != nil {
		errs = append(errs, u.tcp.Close())
	}
	if u.udp != nil {
		errs = append(errs, u.udp.Close())
	}
	u.mu.Lock()
	u.closed = true
	for c := range u.open {
		c.Close()
	}
	u.mu.Unlock()
	u.running.Wait()
	if u.objects.ToUplink != nil {
		errs = append(errs, u.objects.Close())
	}
	return errors.Join(errs...)
}
