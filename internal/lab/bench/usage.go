package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/text/wait"
)

// Usage is what the DUT has used of its CPUs so far.
func (b *Bench) Usage() (telemetry.Sample, error) { return b.site.Usage(b.Subject) }

// Memory is what the DUT uses, octets.
func (b *Bench) Memory() (uint64, error) { return b.site.Memory(b.Subject.Processes()) }

// Programs lists the processes of the run: this one, with what it started, and the UPF's.
// Nil where the UPF is somebody else's.
func (b *Bench) Programs() []int {
	if !b.site.OwnsUPF() {
		return nil
	}
	return append([]int{os.Getpid()}, b.Subject.Processes()...)
}

// Idle is what the DUT with its sessions up uses, cores, while nothing is sent for a time.
// nil: it has no CPU that is known.
func (b *Bench) Idle(ctx context.Context, d time.Duration) (*float64, error) {
	if b.Endpoint.IsWire() || len(b.Subject.Processes()) == 0 && len(b.Subject.NAPI) == 0 {
		return nil, nil
	}
	before, err := telemetry.Take(b.Subject)
	if err != nil {
		return nil, err
	}
	if err := wait.Pause(ctx, d); err != nil {
		return nil, err
	}
	after, err := telemetry.Take(b.Subject)
	if err != nil {
		return nil, err
	}
	cores := telemetry.Between(before, after).Cores
	return &cores, nil
}

// Gone names the ports of N3 and N6 that are no more; nil: all are there. Ports of a UPF
// elsewhere are not seen.
func (b *Bench) Gone() error {
	l := b.site.Links()
	var errs []error
	for _, end := range []struct {
		whose string
		port  netdev.Port
	}{{"the gNB's N3", l.GNB}, {"the UPF's N3", l.UPFN3}, {"the UPF's N6", l.UPFN6}, {"the data network's N6", l.DNN6}} {
		if end.port.NS == nil {
			continue
		}
		if _, _, err := end.port.Packets(); err != nil {
			errs = append(errs, fmt.Errorf("%s, the interface %s, is gone: something removed it during the run", end.whose, end.port.Name))
		}
	}
	return errors.Join(errs...)
}
