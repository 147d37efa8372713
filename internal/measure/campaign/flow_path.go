package campaign

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/record"
)

// flowPath is how many packets each hop of a flow has seen so far.
type flowPath struct {
	gateway      uegateway.Counters
	arrived, out uint64 // at the data network's N6
}

func readPath(dp *bench.UEs) (w flowPath, err error) {
	if w.gateway, err = dp.Gateway().Counters(); err != nil {
		return w, err
	}
	port := dp.Site().Links().DNN6
	w.arrived, w.out, err = port.Packets()
	return w, err
}

const (
	// hardly is the share of packets below which a hop passes nothing: a few
	// belong to neither the flow nor the UE. Of fewer than some it is half.
	hardly = 0.05
	some   = 20
	// many is the number of packets from which a UPF forwards, however many it loses.
	many = 1000
)

// passes reports whether a hop passed packets on.
func passes(in, out uint64) bool {
	if in < some {
		return in == 0 || 2*out > in
	}
	return float64(out) > hardly*float64(in)
}

// broken says where the packets of a flow ended, between two readings; "": they went all
// the way, or nobody counted.
func (w flowPath) broken(since flowPath) string {
	up, down := w.gateway.UplinkPackets-since.gateway.UplinkPackets, w.gateway.DownlinkPackets-since.gateway.DownlinkPackets
	arrived, out := w.arrived-since.arrived, w.out-since.out
	counts := fmt.Sprintf("%d packets left on N3, %d arrived on N6; %d left on N6, %d came back on N3", up, arrived, out, down)
	errors := w.gateway.ErrorIndications - since.gateway.ErrorIndications
	switch {
	case up == 0:
		return ""
	case errors > 0 && !passes(up, arrived):
		return fmt.Sprintf("the UPF sent %d Error Indications: it does not know the TEID (%s)", errors, counts)
	case !passes(up, arrived) && arrived >= many:
		return overrun("uplink", up, arrived, counts)
	case !passes(up, arrived):
		return "the UPF passes nothing uplink: look at its uplink rules, its route to the data network and its neighbour there (" + counts + ")"
	case out == 0:
		return "the data network answers nothing: look at a firewall there (" + counts + ")"
	case !passes(out, down) && down >= many:
		return overrun("downlink", out, down, counts)
	case !passes(out, down):
		return "the UPF passes uplink and nothing downlink: look at its downlink rules, its route to the gNB, and N3's MTU (" + counts + ")"
	}
	return ""
}

func overrun(direction string, in, out uint64, counts string) string {
	return fmt.Sprintf("the UPF passes %s but loses %.1f %%: more is offered than it can take with what it gets "+
		"of its CPU (%s)", direction, 100*(1-float64(out)/float64(in)), counts)
}

// explainPath adds to a flow that got nothing through, or hardly anything, where its
// packets ended.
func explainPath(f *record.AppFlow, before, after flowPath) {
	if f.Valid && f.LossRatio < 0.5 && f.StalledS == 0 {
		return
	}
	if why := after.broken(before); why != "" {
		f.Reasons = append(f.Reasons, why)
	}
}
