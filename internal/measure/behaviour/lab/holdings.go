package lab

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/behaviour"
)

// holdings counts what the UPF has of the kernel: entries of its BPF maps, and what is in its network namespace. What goes by
// itself is left out: neighbours that were resolved, and connections that the kernel tracks. So are threads, of which a language's
// runtime makes more as it needs them.
func (l *Lab) holdings() (behaviour.Holdings, error) {
	h := behaviour.Holdings{}
	pids := l.Instance().PIDs()
	for name, n := range telemetry.MapEntries(pids) {
		h["entries of the BPF map "+name] = n
	}
	for _, pid := range pids {
		h["open files"] += count(fmt.Sprintf("/proc/%d/fd", pid))
	}
	if len(pids) > 0 {
		sockets(h, pids[0])
	}
	return h, routing(h, l.Site().Links().UPFN4.NS.Netlink())
}

// sockets counts those of the namespace of a process.
func sockets(h behaviour.Holdings, pid int) {
	for _, kind := range []string{"udp", "udp6", "tcp", "tcp6", "raw", "raw6", "packet"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, kind))
		if err == nil {
			h[kind+" sockets"] = max(0, bytes.Count(b, []byte("\n"))-1)
		}
	}
}

// routing counts links, routes, rules, neighbours, addresses and filters.
func routing(h behaviour.Holdings, nl *netlink.Handle) error {
	links, err := nl.LinkList()
	if err != nil {
		return fmt.Errorf("list the links of the UPF's namespace: %w", err)
	}
	h["links"] = len(links)
	for _, link := range links {
		for _, parent := range []uint32{netlink.HANDLE_MIN_INGRESS, netlink.HANDLE_MIN_EGRESS, netlink.HANDLE_ROOT} {
			filters, err := nl.FilterList(link, parent)
			if err == nil { // a link without a qdisc there has none
				h["tc filters"] += len(filters)
			}
		}
		classes, err := nl.ClassList(link, 0)
		if err == nil {
			h["tc classes"] += len(classes)
		}
	}
	for family, name := range map[int]string{unix.AF_INET: "IPv4", unix.AF_INET6: "IPv6"} {
		routes, err := nl.RouteListFiltered(family, &netlink.Route{Table: unix.RT_TABLE_UNSPEC}, netlink.RT_FILTER_TABLE)
		if err != nil {
			return fmt.Errorf("list the routes of the UPF's namespace: %w", err)
		}
		h[name+" routes"] = len(routes)
		if list, err := nl.RuleList(family); err == nil { // a kernel may have none
			h[name+" rules"] = len(list)
		}
		if list, err := nl.NeighList(0, family); err == nil {
			h[name+" neighbours"] = len(slices.DeleteFunc(list, func(n netlink.Neigh) bool { return n.State&netlink.NUD_PERMANENT == 0 })) // others expire
		}
		if list, err := nl.AddrList(nil, family); err == nil {
			h[name+" addresses"] = len(list)
		}
	}
	return nil
}
