package eupf

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// doctor lists what limits eUPF's figures.
func doctor(env dut.Env) []dut.Finding {
	list := []dut.Finding{
		{What: "xdp_attach_mode", Found: "its default: generic", Set: env.Mode,
			Cost:   "generic XDP makes a socket buffer of each packet first: a fraction of the native rate",
			Source: "docs/Configuration.md of eUPF"},
		{What: "queues and cores", Cost: "one gNB's G-PDUs have one flow of outer headers: one receive queue, one core does them all",
			Source: "https://github.com/edgecomllc/eupf/issues/616"},
		{What: "sizes of its BPF maps", Found: "1024 FARs: 512 sessions",
			Cost: fmt.Sprintf("more than %d sessions are refused; resize_ebpf_maps does not help: its programs "+
				"keep the old maps", maxSessions), Source: "tried, v0.7.1"},
		{What: "logging_level", Found: "its default: info", Set: "warn", Cost: "it logs N4 alone: establishing sessions, not packets"},
		{What: "uplink G-PDUs with only the S flag",
			Cost:   "lost: it always strips 8 octets of extension. upflab sends a PDU session container",
			Source: "tried, v0.7.1"},
		{What: "neighbours", Set: "permanent, both ways",
			Cost: "a packet to an unresolved neighbour goes to the kernel, not out", Source: "tried, v0.7.1"},
		{What: "route of the UE pool", Set: "blackhole",
			Cost:   "packets of unknown UEs go round between UPF and data network until their TTL is 0",
			Source: "tried, v0.7.1"},
	}
	if env.Mode == "generic" {
		list = append(list, dut.MergedSegments())
	}
	return list
}

// defects lists what eUPF is known to do wrong, where it touches the scenario.
func defects(_ string, s *scenario.Scenario) []string {
	lines := []string{"eUPF does not decrement the TTL of what it forwards (RFC 1812 clause 5.3.1)."}
	if slices.ContainsFunc(s.Directions, func(d record.Direction) bool { return d != record.Downlink }) {
		lines = append(lines, "eUPF does not check the source address of uplink packets: one that is not the UE's is forwarded.")
	}
	return lines
}
