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
}

var _ dut.Instance = (*Instance)(nil)

var _ dut.Counting = (*Instance)(nil)

// UserPlane is dut.Counting's.
func (i *Instance) UserPlane() ([]dut.Counter, error) {
	if i.Metrics == nil {
		return nil, nil
	}
	return i.Metrics.Read()
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
