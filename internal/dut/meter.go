package dut

import "time"

// Meter is the state of another machine at one moment.
type Meter struct {
	At     time.Time
	Source string        // "process 4711, over SSH": what DUT is
	DUT    time.Duration // CPU time that counts as the UPF's
	Busy   time.Duration // of all its CPUs, together
	Total  time.Duration // busy or not
	Memory uint64        // bytes; 0: not known
}
