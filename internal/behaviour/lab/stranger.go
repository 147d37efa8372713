package lab

import (
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/upflab/upflab/internal/behaviour"
	"github.com/upflab/upflab/internal/telemetry"
	"github.com/upflab/upflab/pfcp"
)

// DialStranger is behaviour.Strange's. Of a UPF that runs elsewhere it is the SMF's own
// address, and the port one that is free.
func (l *Lab) DialStranger() (conn net.PacketConn, node netip.Addr, own bool, err error) {
	n4 := &l.cfg.Scenario.N4
	if !l.site.OwnsUPF() {
		conn, err = l.site.ListenN4(netip.AddrPortFrom(n4.SMF, 0))
		return conn, n4.SMF, false, err
	}
	node = n4.SMF.Next()
	for node == n4.UPF || !netip.PrefixFrom(n4.SMF, n4.Prefix).Contains(node) {
		node = n4.UPF.Next()
	}
	port := l.site.Links().SMFN4
	if err := port.AddAddress(node); err != nil {
		return nil, node, false, err
	}
	conn, err = l.site.ListenN4(netip.AddrPortFrom(node, pfcp.Port))
	return conn, node, true, err
}

// Footprint is behaviour.Measured's.
func (l *Lab) Footprint() (f behaviour.Footprint, err error) {
	for _, pid := range l.instance.PIDs() {
		n, err := telemetry.ResidentBytes(pid)
		if err != nil {
			return f, err
		}
		f.Octets += n
		f.Threads += count(fmt.Sprintf("/proc/%d/task", pid))
		f.Files += count(fmt.Sprintf("/proc/%d/fd", pid))
	}
	return f, nil
}

func count(folder string) int {
	list, _ := os.ReadDir(folder) // none of a process that has ended
	return len(list)
}
