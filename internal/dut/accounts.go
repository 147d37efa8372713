package dut

// Accounts are what a running UPF reports of itself beyond what every Instance does. A value,
// and not more interfaces: an Instance that wraps another passes all of it on, what is added
// later, too. nil: it does not report that.
type Accounts struct {
	// UserPlane gives all counters of the user plane that the UPF shows, totals since it began.
	UserPlane func() ([]Counter, error)
	// Work separates the work of a UPF that polls from its waiting, which the kernel's CPU
	// times cannot: totals since any moment. It is read around each trial.
	Work func() (Work, error)
	// Meter reads the totals of the other machine that the UPF runs on. It may take some
	// milliseconds.
	Meter func() (Meter, error)
}
