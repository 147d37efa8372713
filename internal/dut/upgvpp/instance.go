package upgvpp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/process"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/telemetry"
)

// instance is a running VPP.
type instance struct {
	*process.Instance
	cli     cli
	ports   map[int]string // names of the UPF's devices, by their index
	names   *strings.Replacer
	sockets *telemetry.PacketSockets

	mu    sync.Mutex
	since account
}

func newInstance(p *process.Process, files []string, env dut.Env) *instance {
	t := env.Site
	i := &instance{
		Instance: &process.Instance{Process: p, Rendered: files, At: endpoint(env)}, cli: dial(p.PID()),
		ports: map[int]string{t.Links().UPFN3.Index: "N3", t.Links().UPFN4.Index: "N4", t.Links().UPFN6.Index: "N6"},
		// a run's devices have names of their own, places of loss must not
		names: strings.NewReplacer(t.Links().UPFN3.Name, "n3", t.Links().UPFN4.Name, "n4", t.Links().UPFN6.Name, "n6"),
	}
	i.Counters, i.Work = i.drops, i.work
	return i
}

// configure gives VPP its commands and waits until it listens for PFCP.
func (i *instance) configure(ctx context.Context, path string) error {
	if err := i.cli.ready(ctx, i.Exited()); err != nil {
		return fmt.Errorf("%w; it last said: %q", err, process.LastLine(i.LogTail()))
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the commands for VPP: %w", err)
	}
	defer f.Close()
	if err := i.cli.exec(ctx, f); err != nil {
		return fmt.Errorf("%w (line of %s); its log ends: %s", err, path, i.LogTail())
	}
	i.sockets, err = telemetry.OpenPacketSockets(i.PID())
	return err
}

// drops are what VPP's nodes count as lost, and what its packet sockets had no room
// for.
func (i *instance) drops() ([]record.Count, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	answer, err := i.cli.run(ctx, "show errors")
	if err != nil {
		return nil, err
	}
	list := drops(parseErrors(i.names.Replace(answer)))
	lost, err := i.sockets.Lost()
	if err != nil {
		return nil, err
	}
	for index, packets := range lost {
		list = append(list, record.Count{Place: record.Place("VPP: ring of the packet socket on " + i.ports[index] + " full"), Packets: packets})
	}
	return list, nil
}

// Stop is dut.Instance's.
func (i *instance) Stop() error {
	var err error
	if i.sockets != nil {
		err = i.sockets.Close()
	}
	return errors.Join(err, i.Instance.Stop())
}

// work is in cycles of the time-stamp counter.
func (i *instance) work() (dut.Work, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	answer, err := i.cli.run(ctx, "show runtime")
	if err != nil {
		return dut.Work{}, err
	}
	_, err = i.cli.run(ctx, "clear runtime") // three digits are exact only where numbers are small
	if err != nil {
		return dut.Work{}, err
	}
	return i.since.add(parseRuntime(answer)), nil
}
