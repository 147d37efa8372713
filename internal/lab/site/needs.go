package site

import "github.com/upflab/upflab/internal/machine/netdev"

// N6Port is the UDP port of tunnels on N6, where a UPF is configured for them.
const N6Port = 4000

// Needs is what a UPF wants of its surroundings beyond what every site has.
// A driver asks for it by Provide before it starts its programs.
type Needs struct {
	// HugePages of the machine's default size (2 MiB on x86), for the whole
	// machine has one pool: what is not free is added, and given back at the end.
	HugePages int
	// Sysctls of the UPF's network namespace, by their path below /proc/sys/net:
	// "ipv4/conf/all/arp_ignore".
	Sysctls map[string]string
	// SilentKernel is for a UPF that takes frames by packet sockets: the kernel, which
	// sees the same frames, must neither forward nor answer them.
	SilentKernel bool
	// SilentN4 is the same for N4: for a UPF in a kernel of its own, whose N4 is there.
	SilentN4   bool
	Tuns       []netdev.Tun
	VRFs       []netdev.VRF
	Routes     []netdev.Route
	Neighbours []netdev.Neighbour
}
