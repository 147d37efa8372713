package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
)

// Owns reports whether the run started the UPF, and may end it.
func (l *Lab) Owns() bool { return l.site.OwnsUPF() }

// Kill ends the UPF, one that the run started, by SIGKILL, as a crash would; what is around it stays.
func (l *Lab) Kill() error {
	for _, pid := range l.instance.PIDs() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill process %d of the UPF: %w", pid, err)
		}
	}
	select {
	case <-l.instance.Exited():
	case <-time.After(5 * time.Second):
		return errors.New("the UPF has not ended 5 s after SIGKILL")
	}
	return nil
}

// StartAgain starts a UPF that has ended, in the same place.
func (l *Lab) StartAgain(ctx context.Context) error {
	if err := l.instance.Stop(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	instance, err := l.cfg.Target.Start(ctx, dut.Env{
		Scenario: l.cfg.Scenario, Site: l.site, CPUs: l.cfg.CPUs, Dir: l.cfg.Dir,
	})
	if err != nil {
		return err
	}
	l.instance = instance
	return l.receive()
}
