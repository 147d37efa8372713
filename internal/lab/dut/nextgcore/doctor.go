package nextgcore

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

const source = "https://github.com/NextgCoreLab/nextgcore"

// doctor lists what limits NextGCore's figures.
func doctor(env dut.Env) []dut.Finding {
	upf := source + " (src/bins/nextgcore-upfd/src/data_plane.rs)"
	return []dut.Finding{
		{What: "downlink polling", Cost: "when its TUN device is empty it sleeps for a timer tick, 1 ms: downlink latency has up to a " +
			"millisecond more, and 500 packets wait in the device's queue", Source: upf},
		{What: "connection tracking", Found: "net.netfilter.nf_conntrack_max " + dut.ReadSetting("net/netfilter/nf_conntrack_max"),
			Set: fmt.Sprintf("--tun-prefix %d, so that its MASQUERADE rule matches no UE", own().Bits()),
			Cost: "it always adds a rule to iptables' nat table, which makes the kernel track each flow; " +
				"with the rule matching, uplink packets get N6's address as source",
			Source: upf},
		{What: "MTU of the TUN device", Found: fmt.Sprintf("its own: %d", ownMTU), Set: fmt.Sprintf("%d, after its start", env.Scenario.MTU),
			Cost: "longer downlink packets are fragmented, or refused, before the UPF", Source: upf},
		{What: "log level", Set: "error", Cost: "at its default, info, lines for each N4 message, at debug for each packet", Source: upf},
		{What: "net.core.rmem_default", Found: dut.ReadSetting("net/core/rmem_default") + " bytes",
			Cost: "it never sets SO_RCVBUF: see open5gs", Source: "docs/duts/open5gs.md"},
	}
}

// defects lists what NextGCore's UPF is known to do wrong, where it touches the scenario.
func defects(string, *scenario.Scenario) []string {
	return []string{
		"NextGCore's UPF accepts each uplink PDR and leaves it out: it takes the flags V4 and V6 of an F-TEID for each other (TS 29.244 " +
			"clause 8.2.3). Uplink packets of any TEID are forwarded; gates, FARs and filters do nothing for uplink.",
		"NextGCore's UPF learns an unknown UE's address from an uplink packet of any TEID: downlink packets then go to that sender.",
		"NextGCore's UPF sends downlink packets of unknown UEs to 172.23.0.100 with TEID 1.",
		"NextGCore's UPF does not answer Association Release Requests (TS 29.244 clause 6.2.8): upflab does not wait for an answer.",
	}
}
