package prove

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/safefile"
)

// runApart is `upflab run` in a process of its own, as runs are that somebody starts one after another: memory and
// timing are not those of the run before. What it prints goes into dir.log.
func runApart(c *cobra.Command, dir string, args ...string) (*record.Result, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args = append([]string{"run", "--out", dir, "--quiet"}, args...)
	cmd := exec.CommandContext(c.Context(), self, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGTERM}
	logFile := dir + ".log"
	log, err := safefile.Create(logFile, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	child, err := host.LaunchApart(cmd)
	if err != nil {
		return nil, err
	}
	if err := child.Wait(); err != nil {
		if c.Context().Err() != nil {
			return nil, c.Context().Err()
		}
		var ended *exec.ExitError
		if errors.As(err, &ended) && (ended.ExitCode() == exit.Invalid || ended.ExitCode() == exit.Worse) { // a verdict of a whole run
			return store.Load(dir)
		}
		said, _ := os.ReadFile(logFile)
		return nil, fmt.Errorf("`upflab %s` ended with %w:\n%s", strings.Join(args, " "), err, said)
	}
	return store.Load(dir)
}
