package hosts

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// port is where a host sends and receives, and by which CPUs and clock.
type port struct {
	netdev.Port
	cpus  []int
	clock *xdp.Clock
}

// openPort finds a device of this network namespace. It is left as it is.
func openPort(device string, cpus []int) (*port, error) {
	placed, err := host.Place(scenario.CPU{Placement: "auto", Generator: named(cpus), Sink: scenario.AnyCPU, DUT: scenario.AnyCPU})
	if err != nil {
		return nil, err
	}
	ns, err := netdev.Current()
	if err != nil {
		return nil, err
	}
	link, err := ns.Netlink().LinkByName(device)
	switch {
	case err != nil:
		err = fmt.Errorf("find the device %q: %w: `ip link` lists those of this host", device, err)
	case link.Attrs().Flags&net.FlagUp == 0:
		err = fmt.Errorf("%s is down: `ip link set %s up`", device, device)
	case len(link.Attrs().HardwareAddr) != 6:
		err = fmt.Errorf("%s has no MAC address: it is no Ethernet device", device)
	}
	if err != nil {
		ns.Release()
		return nil, err
	}
	return &port{Port: netdev.Port{NS: ns, Name: device, Index: link.Attrs().Index, MAC: slices.Clone(link.Attrs().HardwareAddr)},
		cpus: placed.Senders(), clock: &xdp.Clock{}}, nil
}

// named writes CPUs as a scenario does; none: any.
func named(cpus []int) scenario.CPUs {
	if len(cpus) == 0 {
		return scenario.AnyCPU
	}
	var words []string
	for _, cpu := range cpus {
		words = append(words, strconv.Itoa(cpu))
	}
	return scenario.CPUs(strings.Join(words, ","))
}

func (p *port) close() { p.NS.Release() }
