package netdev

import (
	"fmt"
	"os"

	"github.com/upflab/upflab/internal/socket/napi"
)

// NAPI is what receives for a port in the kernel.
type NAPI struct{ of *Port }

// NAPI is the port's.
func (p *Port) NAPI() NAPI { return NAPI{p} }

// Threads gives the kernel threads that receive for the port, in the order of its
// receive queues. There are some only when it is threaded and its NAPI is on (an XDP
// program, or GRO).
func (n NAPI) Threads() ([]int, error) {
	return napi.Threads(n.of.Names()...)
}

// Names are those by which the kernel may call the threads that receive for the port.
func (p *Port) Names() []string {
	names := []string{p.device().Name}
	if p.HomeName != "" {
		names = append(names, p.HomeName)
	}
	return names
}

// TunThreads gives the kernel threads that forward what is written to the namespace's TUN
// and TAP devices, for those that are threaded.
func (n *Namespace) TunThreads() (pids []int, err error) {
	links, err := n.nl.LinkList()
	if err != nil {
		return nil, fmt.Errorf("list the devices of %s: %w", n.Name, err)
	}
	for _, l := range links {
		if l.Type() != "tuntap" && l.Type() != "tun" {
			continue
		}
		more, err := (&Port{NS: n, Name: l.Attrs().Name}).NAPI().Threads()
		if err != nil {
			return nil, err
		}
		pids = append(pids, more...)
	}
	return pids, nil
}

// SetThreaded gives the port's NAPI contexts kernel threads of their own, which
// can be pinned and whose CPU time is counted.
func (n NAPI) SetThreaded(on bool) error {
	p := n.of.device()
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
