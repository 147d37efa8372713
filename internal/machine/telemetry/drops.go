package telemetry

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// Drop is what was dropped for one reason.
type Drop struct {
	record.Count
	XDP      bool   // by a generic XDP program
	Redirect bool   // the kernel could not redirect it to where an XDP program sent it
	Function string // of the kernel that dropped it; "": known by the reason alone
}

// SocketFull is the place of datagrams for which a UDP socket had no room.
const SocketFull record.Place = "UDP socket buffer full"

// kernelDrops are the counters of /proc/net/snmp that count lost packets, and
// what they are called here.
var kernelDrops = map[string]string{
	"Ip.InDiscards":    "IP input discarded",
	"Ip.InHdrErrors":   "IP header errors",
	"Ip.InAddrErrors":  "IP address errors",
	"Ip.OutDiscards":   "IP output discarded",
	"Ip.OutNoRoutes":   "no route",
	"Udp.RcvbufErrors": string(SocketFull),
	"Udp.NoPorts":      "no socket on the UDP port",
	"Udp.InCsumErrors": "UDP checksum errors",
}

// KernelDrops are the totals of packets that the kernel lost in a namespace:
// its IP and UDP layers, and the queues of its devices (a TUN's, above all).
func KernelDrops(ns *netdev.Namespace) ([]record.Count, error) {
	var list []record.Count
	err := ns.Do(func() error {
		b, err := os.ReadFile("/proc/thread-self/net/snmp")
		if err != nil {
			return err
		}
		list = snmpDrops(string(b))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the kernel's counters of %s: %w", ns.Name, err)
	}
	devices, err := deviceDrops(ns)
	return append(list, devices...), err
}

// snmpDrops reads pairs of lines: names, then values.
func snmpDrops(text string) []record.Count {
	var list []record.Count
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		layer := fields[0]
		if len(names) == 0 || names[0] != layer {
			names = fields
			continue
		}
		for i := 1; i < min(len(fields), len(names)); i++ {
			place, ok := kernelDrops[strings.TrimSuffix(layer, ":")+"."+names[i]]
			if n, err := strconv.ParseUint(fields[i], 10, 64); ok && err == nil {
				list = append(list, record.Count{Place: record.Place(place), Packets: n})
			}
		}
		names = nil
	}
	return list
}

// linkTypes lists the types of devices whose drops deviceDrops leaves out: those of N3, N4 and N6, and lo.
var linkTypes = []string{"veth", "macvlan", "device"}

// deviceDrops are the transmit drops of devices other than N3 and N6, whose
// rings have counters of their own: the queue of a TUN or TAP.
func deviceDrops(ns *netdev.Namespace) ([]record.Count, error) {
	links, err := ns.Netlink().LinkList()
	if err != nil {
		return nil, fmt.Errorf("list the devices of %s: %w", ns.Name, err)
	}
	var list []record.Count
	for _, l := range links {
		a := l.Attrs()
		if a.Statistics == nil || slices.Contains(linkTypes, l.Type()) {
			continue
		}
		list = append(list, record.Count{Place: record.Place(a.Name + ": transmit queue full"), Packets: a.Statistics.TxDropped})
	}
	return list, nil
}
