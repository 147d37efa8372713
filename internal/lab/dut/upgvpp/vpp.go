package upgvpp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// vpp is a running VPP.
type vpp struct {
	*process.Process
	cli     cli
	ports   map[int]string // names of the UPF's devices, by their index
	names   *strings.Replacer
	sockets *telemetry.PacketSockets

	mu    sync.Mutex
	since account
}

func newVPP(p *process.Process, t site.Site) *vpp {
	l := t.Links()
	return &vpp{
		Process: p, cli: dial(p.PID()),
		ports: map[int]string{l.UPFN3.Index: "N3", l.UPFN4.Index: "N4", l.UPFN6.Index: "N6"},
		// The devices' names differ in each run, and places of loss must not.
		names: strings.NewReplacer(l.UPFN3.Name, "n3", l.UPFN4.Name, "n4", l.UPFN6.Name, "n6"),
	}
}

// configure gives VPP its commands and waits until it listens for PFCP.
func (v *vpp) configure(ctx context.Context, path string) error {
	if err := v.cli.ready(ctx, v.Exited()); err != nil {
		return fmt.Errorf("%w; it last said: %q", err, units.LastLine(v.LogTail()))
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the commands for VPP: %w", err)
	}
	defer f.Close()
	if err := v.cli.exec(ctx, f); err != nil {
		return fmt.Errorf("%w (line of %s); its log ends: %s", err, path, v.LogTail())
	}
	v.sockets, err = telemetry.OpenPacketSockets(v.PID())
	return err
}

// drops are what VPP's nodes count as lost, and what its packet sockets had no room
// for.
func (v *vpp) drops() ([]record.Count, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	answer, err := v.cli.run(ctx, "show errors")
	if err != nil {
		return nil, err
	}
	list := drops(parseErrors(v.names.Replace(answer)))
	lost, err := v.sockets.Lost()
	if err != nil {
		return nil, err
	}
	for index, packets := range lost {
		list = append(list, record.Count{Place: record.Place("VPP: ring of the packet socket on " + v.ports[index] + " full"), Packets: packets})
	}
	return list, nil
}

// Stop closes what upflab reads the packet sockets by, and ends VPP.
func (v *vpp) Stop() error {
	return errors.Join(v.sockets.Close(), v.Process.Stop())
}

// work is in cycles of the time-stamp counter.
func (v *vpp) work() (dut.Work, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	answer, err := v.cli.run(ctx, "show runtime")
	if err != nil {
		return dut.Work{}, err
	}
	_, err = v.cli.run(ctx, "clear runtime") // three digits are exact only where numbers are small
	if err != nil {
		return dut.Work{}, err
	}
	return v.since.add(parseRuntime(answer)), nil
}
