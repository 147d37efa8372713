package netdev

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/neighbour"
	"github.com/upflab/upflab/internal/text/wait"
)

// configDir is where `ip netns exec` finds files to show in /etc, in a folder named as
// the namespace.
const configDir = "/etc/netns"

// SetResolver lets `ip netns exec` show a resolv.conf with this server. It goes with the
// namespace.
func (n *Namespace) SetResolver(server netip.Addr) error {
	dir := filepath.Join(configDir, n.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make a folder for resolv.conf: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "resolv.conf"), fmt.Appendf(nil, "nameserver %s\n", server), 0o644)
}

// removeConfig removes what SetResolver made.
func removeConfig(name string) error {
	dir := filepath.Join(configDir, name)
	if _, err := os.Lstat(dir); err != nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	os.Remove(configDir) // when it is empty
	return nil
}

// ResolveMAC asks the kernel for the MAC address of who has an address behind a port of this
// thread's namespace, and waits for ARP, or for Neighbour Discovery (RFC 4861) where it is of IPv6, 3 s at
// most.
func ResolveMAC(p Port, ip netip.Addr) (net.HardwareAddr, error) {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 9))) // discard
	if err != nil {
		return nil, fmt.Errorf("reach %s by %s: %w", ip, p.Name, err)
	}
	defer conn.Close()
	family, protocol := unix.AF_INET, "ARP"
	if ip.Is6() {
		family, protocol = unix.AF_INET6, "Neighbour Solicitations"
	}
	var hw net.HardwareAddr
	resolved := func() bool {
		conn.Write([]byte{0}) // makes the kernel resolve
		neighbours, failed := p.NS.Netlink().NeighList(p.Index, family)
		hw, err = neighbour.MAC(neighbours, ip.AsSlice()), failed
		return hw != nil || err != nil
	}
	if wait.Until(3*time.Second, 100*time.Millisecond, resolved) {
		if err != nil {
			return nil, fmt.Errorf("read the neighbours of %s: %w", p.Name, err)
		}
		return hw, nil
	}
	return nil, fmt.Errorf("%s does not answer %s on %s: is the UPF's address right and its port up?", ip, protocol, p.Name)
}
