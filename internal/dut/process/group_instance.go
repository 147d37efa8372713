package process

import (
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
)

// GroupInstance is a UPF that is several processes.
type GroupInstance struct {
	*Group
	At       dut.Endpoint
	Rendered []string // configuration files
	// Counters reads the UPF's own drops; nil when it tells of none.
	Counters func() ([]record.Count, error)
	// Work is dut.Accounts'.
	Work func() (dut.Work, error)
}

var _ dut.Instance = (*GroupInstance)(nil)

// Endpoint is dut.Instance's.
func (i *GroupInstance) Endpoint() dut.Endpoint { return i.At }

// Drops is dut.Instance's.
func (i *GroupInstance) Drops() ([]record.Count, error) {
	if i.Counters == nil {
		return nil, nil
	}
	return i.Counters()
}

// Accounts is dut.Instance's.
func (i *GroupInstance) Accounts() dut.Accounts { return dut.Accounts{Work: i.Work} }

// Files is dut.Instance's.
func (i *GroupInstance) Files() []string { return append(i.Rendered, i.Logs()...) }
