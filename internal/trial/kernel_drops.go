package trial

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/telemetry"
)

// kernelDrops are what the kernel lost around the UPF, without what the rings of the
// links have counted already: the kernel books what a veth has no room for on the
// namespace that was to get it.
func kernelDrops(lost []telemetry.Drop) (list []drop) {
	const vethTransmit = "veth_xmit"
	for _, c := range lost {
		if c.Function == vethTransmit {
			continue
		}
		list = append(list, drop{place: record.PlaceKernelPrefix + c.Place, side: record.SideDUT, packets: c.Packets,
			program: c.XDP, redirect: c.Redirect, queue: fullQueues[c.Place]})
	}
	return list
}

// fullQueues are the kernel's reasons that mean a queue without room: its drop
// reasons (enum skb_drop_reason), and the names of its counters.
var fullQueues = map[record.Place]bool{
	"socket rcvbuff": true, "full ring": true, "qdisc drop": true, "packet sock error": true, "cpu backlog": true,
	"proto mem": true, "UDP socket buffer full": true,
}
