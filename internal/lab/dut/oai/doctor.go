package oai

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

const (
	source = "https://github.com/openairinterface/oai-cn5g-upf"
	ran    = "tried, v2.1.0"
)

// doctor lists what limits OAI-CN5G-UPF's figures.
func doctor(env dut.Env) []dut.Finding {
	list := []dut.Finding{
		{What: "log_level.general", Found: "its sample: debug", Set: "warning",
			Cost:   "it writes a line for each N4 message, at debug for packets too",
			Source: source + " (etc/config.yaml)"},
		{What: "enable_qos", Found: "its default: no", Set: "no",
			Cost:   "with it, qdiscs of tc are in each downlink packet's way; without it no MBR and no gate is enforced",
			Source: ran},
		{What: "uplink G-PDUs with only the S flag", Cost: "lost: it always strips 8 octets of extension. upflab sends a PDU session container",
			Source: ran},
	}
	if env.Mode == xdp {
		return append(list,
			dut.Finding{What: "memory", Found: fmt.Sprintf("%d MiB for each session, %d in all",
				sessionMemory, sessionMemory*max(env.Scenario.Sessions, 1)),
				Cost:   "each direction of a session is a BPF program with maps of its own; half of a deleted session stays",
				Source: ran},
			dut.Finding{What: "room for sessions", Found: fmt.Sprintf("%d BPF programs in its life: %d sessions", maxPrograms, maxSessions),
				Cost: "the next session ends the process", Source: source + " (src/upf_app/bpf/rules/pdr/next_prog_rule_map.h)"},
			dut.Finding{What: "neighbours", Set: "they answer ARP",
				Cost: "it asks for MAC addresses by arping for each session, and does not see the kernel's neighbours", Source: ran})
	}
	return append(list, dut.Finding{What: "CPUs", Found: fmt.Sprintf("%d for the UPF", max(len(env.CPUs), 1)),
		Cost:   "its packet threads have real-time priority: without a separate CPU, N4 stops answering under load",
		Source: source + " (docs/SIMPLE_SWITCH.md)"})
}

const (
	// maxPrograms is the size of the map of its BPF programs, whose numbers it does not use again.
	maxPrograms = 5000
	// maxSessions is what that has room for: two programs each, from number 1 on.
	maxSessions = maxPrograms/2 - 1
	// sessionMemory is what a session's maps take, MiB.
	sessionMemory = 20
)

// defects lists what OAI-CN5G-UPF is known to do wrong, where it touches the scenario.
func defects(mode string, _ *scenario.Scenario) []string {
	lines := []string{
		"OAI-CN5G-UPF discards Association Release Requests (TS 29.244 clause 6.2.8): upflab does not wait for an answer.",
		"OAI-CN5G-UPF does not answer an establishment with a URR, or with an IE that it does not know (TS 29.244 clause 7.6.4): upflab asks for no usage.",
		"OAI-CN5G-UPF forwards packets whose QER has closed gates (TS 29.244 clause 5.4.3).",
		"OAI-CN5G-UPF accepts sessions of an SMF with which it has no association (TS 29.244 clause 6.2.6).",
		"OAI-CN5G-UPF gives SDF filters, and QFIs in a PDI, no effect (TS 29.244 clause 5.2.1A).",
		"OAI-CN5G-UPF forwards a G-PDU inside a UE's packet to N3's address as if a gNB had sent it: a UE can send as another.",
		"OAI-CN5G-UPF ends (SIGABRT) at a deletion of SEID 2^64-1.",
	}
	if mode == xdp {
		return append(lines,
			"OAI-CN5G-UPF's XDP accepts a downlink PDR in an establishment and does not forward its packets: upflab creates it by a modification.",
			"OAI-CN5G-UPF's XDP accepts an Update FAR and forwards as before: no handover, drop or buffering takes effect.",
			"OAI-CN5G-UPF's XDP goes on forwarding downlink after a session was deleted.",
			"OAI-CN5G-UPF's XDP ends (SIGABRT) at a modification of a session whose uplink PDR has no UE IP Address: upflab sends one.",
			"OAI-CN5G-UPF's XDP ends (SIGABRT) at an establishment without Create PDR.",
			"OAI-CN5G-UPF's XDP ends (SIGSEGV) when sessions are deleted while it asks for their neighbours, within a second or so.",
			"OAI-CN5G-UPF's XDP puts QFI 8 on all downlink packets, answers no Echo Request and sends no Error Indication.",
			"OAI-CN5G-UPF's XDP does not decrement the TTL of what it forwards (RFC 1812 clause 5.3.1).")
	}
	return append(lines,
		"OAI-CN5G-UPF's simple switch rejects a QER without MBR or GBR with cause 67: upflab sends both, of 200 Gbit/s.",
		"OAI-CN5G-UPF's simple switch puts QFI 5 on downlink packets until a session has sent uplink.",
		"OAI-CN5G-UPF's simple switch answers an Echo Request by a message that ends in the sequence number, without a Recovery IE.",
		"OAI-CN5G-UPF's simple switch ends (SIGABRT) at a malformed GTP-U message of 45 bytes, also without any session.",
		"OAI-CN5G-UPF's simple switch takes the PDR with the highest precedence value of several (TS 29.244 clause 8.2.11: the lowest).",
		"OAI-CN5G-UPF's simple switch accepts Outer Header Removal 6 and forwards no uplink packet then.")
}
