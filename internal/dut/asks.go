package dut

import (
	"github.com/upflab/upflab/internal/scenario"
)

// What a Driver may do beyond its interface. upflab looks for each by a type assertion; a
// driver implements what it can.

// Work is a polling UPF's own account of its time, in one unit for both: cycles,
// ns, or rounds of its loop where it knows no better.
type Work struct {
	Busy  float64 // moved packets
	Total float64 // that and idle polling
}

// Examiner is a Driver that knows what settings of the machine and of the UPF
// bound its figures: what `upflab dut doctor` shows.
type Examiner interface {
	// Doctor looks, and changes nothing. env.Site is nil, and env.Scenario that of
	// a default run.
	Doctor(env Env) []Finding
}

// Finding is one ceiling: something that is known to cost throughput, latency or
// sessions when it is set wrongly.
type Finding struct {
	What   string // "net.core.rmem_default", "log level"
	Found  string // its value here; "" when it is not a thing of this machine
	Set    string // what upflab sets it to for the run; "" when it leaves it
	Cost   string // what it costs when it is wrong, with a figure where there is one
	Source string // where that is known from
}

// Flawed is a Driver of a UPF that is known to do something wrong.
type Flawed interface {
	// Defects are the known defects that touch this scenario, one line each, with the
	// UPF as the subject: "eUPF does not enforce an MBR above 1 Gbit/s".
	Defects(mode string, s *scenario.Scenario) []string
}
