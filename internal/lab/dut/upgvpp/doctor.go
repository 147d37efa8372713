package upgvpp

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// doctor lists what limits UPG-VPP's figures.
func doctor(env dut.Env) []dut.Finding {
	list := []dut.Finding{
		{What: "flows", Found: "its default: 4000000 for each worker", Set: fmt.Sprintf("%d", flows(env.Scenario)),
			Cost: "packets of a stream beyond are dropped; room for each flow is taken at the start"},
		{What: "huge pages", Found: "VPP's default asks for them", Set: "heap in pages of 4 KiB, to run without",
			Cost: "more TLB misses; by how much was not measured. Asked for, VPP adds them to the host's for good"},
		{What: "heap", Found: "its default: 1 GiB", Set: fmt.Sprintf("%d MiB", heapMB(env.Scenario.Sessions)),
			Cost: "a session for which there is no memory ends the process"},
		{What: "the kernel's addresses and forwarding", Set: "none on N3, N4 and N6, ip_forward 0",
			Cost: "the kernel sees each frame too, and answers or forwards it a second time"},
		{What: "neighbours", Set: "static, both ways", Cost: "VPP drops packets until ARP has resolved the next hop"},
		{What: "log level", Set: "warn", Cost: "it logs N4 alone: establishing sessions, not packets"},
	}
	if env.Mode == afPacket {
		list = append(list, dut.MergedSegments(),
			dut.Finding{What: "version of AF_PACKET's ring", Found: "its default: 3", Set: "2",
				Cost: "version 3 hands packets over by blocks: 434 us instead of 27 us at 1 kpps", Source: "tried, v2.0.0"},
			dut.Finding{What: "how N3 and N6 are read", Found: "its default: interrupt", Set: "polling",
				Cost: "interrupts: 27 us instead of 6.6 us at 1 kpps; the highest rate is the same", Source: "tried, v2.0.0"})
	}
	return list
}

// defects lists what UPG-VPP is known to do wrong, where it touches the scenario.
func defects(mode string, s *scenario.Scenario) (lines []string) {
	down := slices.ContainsFunc(s.Directions, func(d record.Direction) bool { return d != record.Uplink })
	if down {
		lines = append(lines, "UPG-VPP sends no PDU session container downlink (TS 38.415 wants one on N3): a gNB does not learn the QFI.")
	}
	return lines
}
