package sdcore

import (
	"context"
	"errors"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/process"
	"github.com/upflab/upflab/internal/dut/sdcore/bess"
)

// instance is a running UPF that tells its work.
type instance struct {
	*process.GroupInstance
	bess   *bess.Client
	worker *worker
}

var _ dut.Worker = (*instance)(nil)

// newInstance learns what there is to count. On error nothing runs any more.
func newInstance(ctx context.Context, env dut.Env, client *bess.Client, group *process.GroupInstance) (dut.Instance, error) {
	i := &instance{GroupInstance: group, bess: client}
	ports := portNames(env.Testbed)
	c, err := newCounters(ctx, client, ports)
	if err == nil {
		i.Counters = c.drops
		i.worker, err = newWorker(ctx, client, ports)
	}
	if err != nil {
		return nil, errors.Join(err, i.Stop())
	}
	return i, nil
}

// Work is dut.Worker's.
func (i *instance) Work() (dut.Work, error) { return i.worker.work() }

// Stop is dut.Instance's.
func (i *instance) Stop() error {
	i.bess.Close()
	return i.GroupInstance.Stop()
}
