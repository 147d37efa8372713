package bench

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Kill ends the DUT, one that the run started, by SIGKILL, as a crash would; what is around it stays.
func (b *Bench) Kill() error {
	for _, pid := range b.instance.PIDs() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill process %d of the UPF: %w", pid, err)
		}
	}
	select {
	case <-b.instance.Exited():
	case <-time.After(5 * time.Second):
		return errors.New("the UPF has not ended 5 s after SIGKILL")
	}
	return nil
}
