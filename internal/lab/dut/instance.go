package dut

import (
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Instance is a running UPF: what runs, how to reach it, and what it can be asked for. What a
// UPF does not report is nil, so a caller asks the value and not the type of what runs.
type Instance struct {
	Program
	Endpoint Endpoint
	// Rendered are the configuration files, and what else the UPF leaves besides its log.
	Rendered []string
	// Drops gives the UPF's own totals of packets it dropped, by reason. It is nil where the
	// UPF counts none.
	Drops func() ([]record.Count, error)
	// Accounts are the counts that the UPF gives of what it does.
	Accounts Accounts
	// Work separates the work of a UPF that polls from its waiting, which the kernel's CPU
	// times cannot: totals since any moment. It is read around each trial.
	Work func() (Work, error)
	// Meter reads the totals of the other machine that the UPF runs on. It may take some
	// milliseconds.
	Meter func() (Meter, error)
}

// Files are the rendered configuration and the logs.
func (i *Instance) Files() []string { return slices.Concat(i.Rendered, i.Logs()) }

// Program is what runs: one process, several, or what a kernel does without any.
type Program interface {
	// PIDs are its processes, for CPU time and memory.
	PIDs() []int
	// Exited is closed when it ended without Stop; nil: it never does.
	Exited() <-chan struct{}
	// Status is how it ended, once it has: "exit status 1".
	Status() string
	// LogTail is the end of its log, for people.
	LogTail() string
	// Logs are the files of its log.
	Logs() []string
	// Stop ends it and waits until it is gone.
	Stop() error
}

// Resident is a Program that upflab did not start as a process: it never ends and keeps no log.
// Kernel forwarding is one, and a UPF that runs elsewhere.
type Resident struct {
	// Processes are those that are known to do the work; nil: none.
	Processes []int
	// Close takes down what upflab set up for it; nil: nothing.
	Close func() error
}

var _ Program = Resident{}

// PIDs are the known processes.
func (r Resident) PIDs() []int { return r.Processes }

// Exited is never closed.
func (Resident) Exited() <-chan struct{} { return nil }

// Status is empty: it does not end.
func (Resident) Status() string { return "" }

// LogTail is empty: there is no log.
func (Resident) LogTail() string { return "" }

// Logs are none.
func (Resident) Logs() []string { return nil }

// Stop takes down what upflab set up.
func (r Resident) Stop() error {
	if r.Close == nil {
		return nil
	}
	return r.Close()
}

// Work is a polling UPF's own account of its time, in one unit for both: cycles,
// ns, or rounds of its loop where it knows no better.
type Work struct {
	Busy  float64 // moved packets
	Total float64 // that and idle polling
}

// Meter is the state of another machine at one moment.
type Meter struct {
	At     time.Time     `json:"at"`
	Source string        `json:"source"`       // "process 4711, over SSH": what DUT is
	DUT    time.Duration `json:"dut_ns"`       // CPU time that counts as the UPF's
	Busy   time.Duration `json:"busy_ns"`      // of all its CPUs, together
	Total  time.Duration `json:"total_ns"`     // busy or not
	Memory uint64        `json:"memory_bytes"` // bytes; 0: not known
	// ProcessAlone: DUT is of the UPF's process, without what the kernel does for it.
	ProcessAlone bool `json:"process_alone"`
}
