package sdcore

import (
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

const source = "https://github.com/omec-project/upf"

// doctor lists what limits SD-Core's figures. None of these is a setting of the machine: they are of
// the configuration that upflab renders.
func doctor(env dut.Env) []dut.Finding {
	return []dut.Finding{
		dut.MergedSegments(),
		{What: "workers", Set: "1, SD-Core's default, on the first of the UPF's CPUs",
			Cost:   "a worker that shares its CPU with the sender of its packets loses most of its rate",
			Source: source + " (conf/up4.bess: workers run on the first CPUs of bessctl's)"},
		{What: "slice_rate_limit_config", Set: "left out",
			Cost: "SD-Core's sample meters all sessions together at 500 Mbit/s", Source: source + " (conf/upf.jsonc)"},
		{What: "table_sizes", Set: "twice what the sessions need",
			Cost: "a rule that does not fit is accepted on N4 and only logged: its packets are dropped", Source: source + " (pfcpiface/bess.go)"},
		{What: "measure_upf, measure_flow", Set: "off",
			Cost: "each packet is stamped and measured; measure_flow loses packets", Source: source + "/issues/644"},
		{What: "read_timeout", Set: "3600 s",
			Cost: "after 15 s without a message from the SMF, the default, all sessions are deleted", Source: source + " (pfcpiface/config.go)"},
		{What: "log_level", Set: "warn", Cost: "debug writes each rule", Source: source + " (conf/upf.jsonc)"},
		{What: "huge pages", Set: "none (bessd -m 0)",
			Cost:   "packet buffers and tables are in pages of 4 KiB: more TLB misses than SD-Core on DPDK has",
			Source: "https://github.com/omec-project/bess (core/opts.cc)"},
	}
}

// defects lists what SD-Core is known to do wrong, where it touches the scenario.
func defects(mode string, s *scenario.Scenario) []string {
	return []string{"SD-Core's UPF answers \"accepted\" even for a rule that BESS refused: only the log of pfcpiface shows it."}
}
