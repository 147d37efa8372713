package xdp

import (
	"fmt"

	"github.com/upflab/upflab/upf/datapath"
)

// Counters gives the totals since Open, summed over CPUs. Bytes are of T-PDUs.
// A G-PDU with an unknown TEID counts as dropped also when it is one of the few
// that are passed on to be answered with an Error Indication.
func (d *Datapath) Counters() (datapath.Counters, error) {
	var perCPU []upfCounters
	if err := d.objects.Totals.Lookup(uint32(0), &perCPU); err != nil {
		return datapath.Counters{}, fmt.Errorf("xdp: read counters: %w", err)
	}
	sum := datapath.Counters{Drops: map[datapath.Reason]uint64{}}
	for i := range perCPU {
		addCounters(&sum, &perCPU[i])
	}
	return sum, nil
}

func addCounters(sum *datapath.Counters, c *upfCounters) {
	sum.Uplink.Packets += c.UlPackets
	sum.Uplink.Bytes += c.UlBytes
	sum.Downlink.Packets += c.DlPackets
	sum.Downlink.Bytes += c.DlBytes
	sum.Passed += c.Passed
	for i, n := range c.Drops {
		if n > 0 {
			sum.Drops[datapath.Reason(i)] += n
		}
	}
}
