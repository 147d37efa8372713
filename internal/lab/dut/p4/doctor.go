package p4

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// doctor lists what limits UP4's figures.
func doctor(env dut.Env) []dut.Finding {
	const (
		up4       = "https://github.com/omec-project/up4 (p4src)"
		model     = "https://github.com/p4lang/behavioral-model"
		pfcpiface = "https://github.com/omec-project/upf v2.1.1 (pfcpiface)"
	)
	return []dut.Finding{
		{What: "how BMv2 was built", Cost: "with logging macros and without -O3 it forwards a fraction of what it can",
			Source: model + " (docs/performance.md)"},
		{What: "tables, counters and meters of UP4", Set: fmt.Sprintf("%d, or eight for each session where that is more", shipped),
			Cost: fmt.Sprintf("%d is UP4's own: enough for 511 sessions, fewer when requests are repeated, which "+
				"pfcpiface does again", shipped), Source: up4},
		{What: "my_station, routes_v4", Set: "the MAC addresses of N3 and N6; the gNB by N3, all else by N6",
			Cost: "pfcpiface does not write them: without them nothing is forwarded", Source: up4},
		{What: "MBR of a QER", Set: "200 Gbit/s, by the dialect", Cost: "a QER without one drops all packets", Source: pfcpiface + " (up4.go)"},
		{What: "egress queue",
			Cost: "64 packets for each port: a burst overflows it. Only BMv2's Thrift CLI can change it " +
				"(set_queue_depth)", Source: model},
		{What: "read_timeout", Set: "3600 s",
			Cost: "after 15 s without a message from the SMF, the default, all sessions are deleted", Source: pfcpiface + " (config.go)"},
	}
}

// defects lists what UP4 is known to do wrong, where it touches the scenario.
func defects(mode string, s *scenario.Scenario) []string {
	if s.Sessions < 2 {
		return nil
	}
	return []string{"UP4 takes an uplink packet in any session's tunnel when its source is any UE's address."}
}
