package sdcore

import (
	"context"
	"errors"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/process"
	"github.com/upflab/upflab/internal/dut/sdcore/bess"
	"github.com/upflab/upflab/internal/telemetry"
)

// instance is a running UPF that tells its work.
type instance struct {
	*process.GroupInstance
	bess    *bess.Client
	worker  *worker
	sockets *telemetry.PacketSockets
}

var _ dut.Worker = (*instance)(nil)

// newInstance learns what there is to count. On error nothing runs any more.
func newInstance(ctx context.Context, env dut.Env, client *bess.Client, group *process.GroupInstance) (dut.Instance, error) {
	i := &instance{GroupInstance: group, bess: client}
	if err := i.learn(ctx, env); err != nil {
		return nil, errors.Join(err, i.Stop())
	}
	return i, nil
}

func (i *instance) learn(ctx context.Context, env dut.Env) (err error) {
	c, err := newCounters(ctx, i.bess, env.Testbed)
	if err != nil {
		return err
	}
	if i.sockets, err = telemetry.OpenPacketSockets(i.PID("bessd")); err != nil {
		return err
	}
	c.sockets, i.Counters = i.sockets, c.drops
	i.worker, err = newWorker(ctx, i.bess, c.ports)
	return err
}

// Work is dut.Worker's.
func (i *instance) Work() (dut.Work, error) { return i.worker.work() }

// Stop is dut.Instance's.
func (i *instance) Stop() error {
	i.bess.Close()
	var err error
	if i.sockets != nil {
		err = i.sockets.Close()
	}
	return errors.Join(err, i.GroupInstance.Stop())
}
