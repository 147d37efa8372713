package measure

import (
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/telemetry"
	"github.com/upflab/upflab/internal/telemetry/droptrace"
)

// kernelDrops tells what the kernel lost in the UPF's namespace: by reason where
// it can be traced, else by the counters of its layers. The tester's namespaces
// are left out: what the sink has counted it drops.
type kernelDrops struct {
	tracer *droptrace.Tracer // nil: counters
	upf    uint32
}

func openKernelDrops(t *site.Testbed) (k kernelDrops, err error) {
	if k.upf, err = t.UPF.Inode(); err != nil {
		return k, err
	}
	k.tracer, _ = droptrace.Open(k.upf) // without BTF there are the counters
	return k, nil
}

// places are the totals so far.
func (k kernelDrops) places(t *site.Testbed) ([]place, error) {
	read := func() ([]record.Count, error) { return telemetry.KernelDrops(t.UPF) }
	if k.tracer != nil {
		read = func() ([]record.Count, error) { return k.tracer.Read(k.upf) }
	}
	counts, err := read()
	if err != nil {
		return nil, err
	}
	var list []place
	for _, c := range counts {
		if strings.HasSuffix(c.Place, inVeth) {
			continue
		}
		list = append(list, place{name: "UPF's kernel: " + c.Place, side: placeDUT, packets: c.Packets, program: c.Place == droptrace.XDP,
			redirect: strings.HasPrefix(c.Place, droptrace.Redirect), queue: fullQueues[c.Place]})
	}
	return list, nil
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

func (k kernelDrops) close() error {
	if k.tracer == nil {
		return nil
	}
	return k.tracer.Close()
}
