// Package runflags has the flags of `upflab run` that say what is measured, on this machine or in the
// pods of a cluster. Both programs parse them by this one set.
package runflags

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Flags are the values.
type Flags struct {
	DUTs    []string // NAME[:MODE]
	Sets    []string // KEY=VALUE
	Cases   []string // of behaviour and attack
	Allowed string   // address that may be attacked
	Packets int      // to capture of each hop; 0: none
	Full    bool     // the study's own durations
	Strict  bool     // a trial that is not valid is the run's own outcome
	until   until
}

// DefaultScenario is measured where none is named.
const DefaultScenario = "load-latency"

// PacketsOfDefault is what --pcap without a number asks for, of each hop.
const PacketsOfDefault = 100

// Add declares the flags.
func (f *Flags) Add(set *pflag.FlagSet) {
	set.StringArrayVar(&f.DUTs, "dut", []string{"builtin"}, "DUT to measure, `NAME[:MODE]`; may be repeated (see upflab dut list)")
	set.StringArrayVar(&f.Sets, "set", nil, "change a setting of the scenario, `KEY=VALUE`; may be repeated")
	pcap := Whole(set, &f.Packets, "pcap", 0, 1, "capture the first `N` packets of each hop of each DUT, before its trials; --pcap alone: 100")
	pcap.NoOptDefVal = strconv.Itoa(PacketsOfDefault)
	set.BoolVar(&f.Strict, "strict", false, "exit with 3 when any trial is not valid, even where others answer the question")
	set.BoolVar(&f.Full, "full", false, "use the study's own durations (60 s a load) instead of short ones")
	f.until.add(set)
	set.StringArrayVar(&f.Cases, "case", nil,
		"with behaviour, attack, qos-accuracy and resilience: `ID` of a case, or of a group of them; may be "+
			"repeated (see upflab behaviour list)")
	set.StringVar(&f.Allowed, "i-am-allowed-to-attack", "",
		"with attack: `ADDRESS` of the N4 of a UPF that upflab did not start; passing it confirms that its owner has agreed")
}

// Settle turns flags that are settings in short into settings, behind those of --set.
func (f *Flags) Settle() { f.Sets = f.until.settle(f.Sets) }

// Arguments are the values as arguments.
func (f *Flags) Arguments() (args []string) {
	for _, of := range []struct {
		flag   string
		values []string
	}{{"--dut", f.DUTs}, {"--set", f.Sets}, {"--case", f.Cases}} {
		for _, v := range of.values {
			args = append(args, of.flag, v)
		}
	}
	if f.Allowed != "" {
		args = append(args, "--i-am-allowed-to-attack", f.Allowed)
	}
	if f.Packets > 0 {
		args = append(args, "--pcap="+strconv.Itoa(f.Packets))
	}
	if f.Full {
		args = append(args, "--full")
	}
	if f.Strict {
		args = append(args, "--strict")
	}
	return args
}

// Parse reads the arguments of a run in a pod: flags of this package, and a scenario; "": none is named.
func Parse(args []string) (f Flags, scenario string, err error) {
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	f.Add(set)
	if err := set.Parse(args); err != nil {
		return f, "", fmt.Errorf("the arguments of upflab run in a pod: %w; it takes --dut, --set, --case, --pcap, --full, "+
			"--strict and --i-am-allowed-to-attack", err)
	}
	f.Settle()
	if set.NArg() > 1 {
		return f, "", fmt.Errorf("the arguments of upflab run in a pod: one scenario, not %q", set.Args())
	}
	return f, set.Arg(0), nil
}

// StartsUPF reports whether a run starts one of its DUTs: all but those of the driver external.
func (f *Flags) StartsUPF() bool {
	for _, d := range f.DUTs {
		if name, _, _ := strings.Cut(d, ":"); name != "external" {
			return true
		}
	}
	return false
}
