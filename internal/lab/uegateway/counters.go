package uegateway

import "fmt"

// Counters are totals since the gateway was opened. Octets are those of the UEs' IP
// packets, without what they travel in.
type Counters struct {
	UplinkPackets, UplinkBytes     uint64
	DownlinkPackets, DownlinkBytes uint64
	// OtherQFI are packets that the UPF marked with another QFI than the UE's, or
	// not at all. They were delivered.
	OtherQFI uint64
	// Dropped has the reasons that occurred.
	Dropped map[Reason]uint64
	// The GTP-U messages that came to the gNB and are no G-PDUs.
	EchoRequests, ErrorIndications, EndMarkers uint64
	// OtherMessages are other ones, and datagrams that are no GTP-U.
	OtherMessages uint64
}

// Counters reads them. A plain gateway has none.
func (g *Gateway) Counters() (Counters, error) {
	c := Counters{Dropped: map[Reason]uint64{}}
	if g.cfg.Plain {
		return c, nil
	}
	var cpus []gatewayCounters
	if err := g.prog.Counted.Lookup(uint32(0), &cpus); err != nil {
		return c, fmt.Errorf("read the gNB's counters: %w", err)
	}
	for _, x := range cpus {
		c.UplinkPackets += x.UpPackets
		c.UplinkBytes += x.UpBytes
		c.DownlinkPackets += x.DownPackets
		c.DownlinkBytes += x.DownBytes
		c.OtherQFI += x.OtherQfi
		for r, n := range x.Dropped {
			if n > 0 {
				c.Dropped[Reason(r)] += n
			}
		}
	}
	g.signalled.add(&c)
	return c, nil
}
