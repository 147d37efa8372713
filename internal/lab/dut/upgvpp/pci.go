package upgvpp

import (
	"fmt"
	"regexp"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/ethtool"
)

// address of a PCI function: domain, bus, device and function.
var address = regexp.MustCompile(`^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// pciAddress is where DPDK finds the device behind a port.
func pciAddress(p netdev.Port) (string, error) {
	var bus string
	err := p.NS.Do(func() (err error) {
		_, bus, err = ethtool.Driver(p.Name)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("find the PCI address of %s: %w", p.Name, err)
	}
	if !address.MatchString(bus) {
		return "", fmt.Errorf("upgvpp:dpdk needs PCI devices, and %s is none (its bus is %q): "+
			"give it two with link=physical, n3.device and n6.device, or take upgvpp:af_packet", p.Name, bus)
	}
	return bus, nil
}
