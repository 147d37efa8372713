package inside

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// nicWithin is how long a driver may take to make a NIC's device.
const nicWithin = 30 * time.Second

// network brings the loopback device up, and names the NICs.
func network(nics []NIC) ([]NIC, error) {
	h, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	lo, err := h.LinkByName("lo")
	if err == nil {
		err = h.LinkSetUp(lo)
	}
	if err != nil {
		return nil, fmt.Errorf("bring up the loopback device: %w", err)
	}
	for i := range nics {
		if err := nics[i].settle(h); err != nil {
			return nil, err
		}
	}
	return nics, nil
}

// settle waits for a NIC and gives it its name.
func (n *NIC) settle(h *netlink.Handle) error {
	for deadline := time.Now().Add(nicWithin); ; time.Sleep(50 * time.Millisecond) {
		links, err := h.LinkList()
		if err != nil {
			return fmt.Errorf("list network devices: %w", err)
		}
		for _, link := range links {
			if link.Attrs().HardwareAddr.String() == n.MAC {
				n.Driver = driverOf(link.Attrs().Name)
				if err := h.LinkSetName(link, n.Name); err != nil {
					return fmt.Errorf("rename network device %s to %s: %w", link.Attrs().Name, n.Name, err)
				}
				return nil
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the kernel made no network device of the NIC %s within %v: has it the driver?", n.MAC, nicWithin)
		}
	}
}

func driverOf(device string) string {
	path, err := os.Readlink("/sys/class/net/" + device + "/device/driver")
	if err != nil {
		return ""
	}
	return filepath.Base(path)
}
