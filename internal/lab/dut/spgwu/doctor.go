package spgwu

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

const source = "https://github.com/OPENAIRINTERFACE/openair-spgwu-tiny"

// doctor lists what limits openair-spgwu-tiny's figures.
func doctor(dut.Env) []dut.Finding {
	return []dut.Finding{
		{What: "LOG_LEVEL", Found: "its sample, from v1.5 on: debug", Set: "warning",
			Cost: "lines for each N4 message, at debug for packets too. v1.4.0 has no such key: its build type decides, and at info each " +
				"downlink packet to an address that no session has writes a line",
			Source: source + " (etc/spgw_u.conf, src/common/logger.cpp)"},
		{What: "room for sessions", Found: fmt.Sprintf("%d, fixed when it is compiled", maxSessions),
			Cost:   "more are refused; deleted sessions leave no room, and it ends at some 3000 of its life",
			Source: source + " (src/spgwu/simpleswitch/pfcp_switch.hpp)"},
		{What: "SCHED_POLICY", Set: "SCHED_FIFO, as in its sample",
			Cost: "real-time threads keep others from their CPU, N4 among them", Source: source + " (etc/spgw_u.conf)"},
	}
}

// defects lists what openair-spgwu-tiny is known to do wrong, where it touches the scenario.
func defects(_ string, s *scenario.Scenario) []string {
	return []string{
		"openair-spgwu-tiny discards Association Release Requests (TS 29.244 clause 6.2.8): upflab does not wait for an answer.",
		"openair-spgwu-tiny enforces neither gates nor maximum bit rates nor SDF filters, and of several PDRs takes the one with the " +
			"highest precedence value (TS 29.244 clause 8.2.11: the lowest).",
		"openair-spgwu-tiny does not answer an establishment with a URR. It ends at a deletion of SEID 2^64-1, at a malformed GTP-U message, " +
			"and at some 3000 sessions of its life, also if they are deleted.",
		"openair-spgwu-tiny accepts Outer Header Removal 6 and forwards no uplink packet then: upflab sends 0.",
	}
}
