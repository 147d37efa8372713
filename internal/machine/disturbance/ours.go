package disturbance

import (
	"fmt"

	"github.com/upflab/upflab/internal/machine/host"
)

// Add makes processes, or kernel threads, ours, with the children that they have.
// Those that they get later are ours by themselves. A process that is gone is no
// error.
func (m *Monitor) Add(pids ...int) error {
	for _, pid := range pids {
		if err := m.objects.Ours.Put(uint32(pid), uint8(1)); err != nil {
			return fmt.Errorf("mark process %d as the run's: %w", pid, err)
		}
		// After it was marked: a child that it gets meanwhile is marked by the kernel.
		below, err := host.Children(pid)
		if err != nil {
			return err
		}
		if err := m.Add(below...); err != nil {
			return err
		}
	}
	return nil
}
