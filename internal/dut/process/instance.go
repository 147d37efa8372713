package process

import (
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
)

// Instance is a UPF that is one process.
type Instance struct {
	*Process
	At       dut.Endpoint
	Rendered []string // configuration files
	// Counters reads the UPF's own drops; nil when it tells of none.
	Counters func() ([]record.Count, error)
	// Metrics are the counters that the UPF shows; nil: none.
	Metrics *dut.Metrics
	// Work is dut.Accounts'.
	Work func() (dut.Work, error)
}

var _ dut.Instance = (*Instance)(nil)

// Accounts is dut.Instance's.
func (i *Instance) Accounts() dut.Accounts {
	a := dut.Accounts{Work: i.Work}
	if i.Metrics != nil {
		a.UserPlane = i.Metrics.Read
	}
	return a
}

// Endpoint is dut.Instance's.
func (i *Instance) Endpoint() dut.Endpoint { return i.At }

// Drops is dut.Instance's.
func (i *Instance) Drops() ([]record.Count, error) {
	if i.Counters == nil {
		return nil, nil
	}
	return i.Counters()
}

// Files is dut.Instance's.
func (i *Instance) Files() []string { return append(i.Rendered, i.log) }
