package measure

import (
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/telemetry/droptrace"
)

// kernelPlaces are what the kernel lost around the UPF, as places.
func kernelPlaces(counts []record.Count) []place {
	var list []place
	for _, c := range counts {
		if strings.HasSuffix(c.Place, inVeth) {
			continue
		}
		list = append(list, place{name: "UPF's kernel: " + c.Place, side: placeDUT, packets: c.Packets, program: c.Place == droptrace.XDP,
			redirect: strings.HasPrefix(c.Place, droptrace.Redirect), queue: fullQueues[c.Place]})
	}
	return list
}

// inVeth ends the name of what a veth had no room for: the rings of the links have
// counted it (TxDropped), and the kernel books it on the namespace that was to get it.
const inVeth = ", in veth_xmit"

// fullQueues are the kernel's reasons that tell of a queue without room: its drop
// reasons (enum skb_drop_reason), and the names of its counters.
var fullQueues = map[string]bool{
	"socket rcvbuff": true, "full ring": true, "qdisc drop": true, "packet sock error": true, "cpu backlog": true,
	"proto mem": true, "UDP socket buffer full": true,
}
