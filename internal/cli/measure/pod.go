package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/machine/podinside"
	"github.com/upflab/upflab/internal/results/podlog"
)

// podFacts begins the line with which a pod describes itself. upflab-kubernetes reads it.
const podFacts = "upflab-pod "

// podStop is how long what runs in a pod may take to remove what it made. A pod has 30 s.
const podStop = 20 * time.Second

func newPod() *cobra.Command {
	var addresses []string
	var dir string
	c := &cobra.Command{Use: "pod -- COMMAND...",
		Short: "In a pod: run an upflab command, and write its result into the log", Args: cobra.MinimumNArgs(1),
		Hidden: true,
		Long: `What upflab-kubernetes and the Helm chart start in pods. It describes the pod in a line
of the log, runs upflab with the arguments after --, and writes a folder into the log.`,
		RunE: func(c *cobra.Command, args []string) error {
			set, err := deviceSettings(addresses)
			if err != nil {
				return err
			}
			return runInPod(c, dir, append(args, set...))
		}}
	c.Flags().StringArrayVar(&addresses, "address", nil,
		"set a key of the scenario to the IPv4 address of a device, `KEY=DEVICE`; may be repeated")
	c.Flags().StringVar(&dir, "hand-over", "", "`FOLDER` to write into the log at the end")
	return c
}

// deviceSettings are settings with the addresses of devices of this pod.
func deviceSettings(list []string) (args []string, err error) {
	for _, text := range list {
		key, device, _ := strings.Cut(text, "=")
		i, err := net.InterfaceByName(device)
		if err != nil {
			return nil, fmt.Errorf("the address for %s: device %q: %w", key, device, err)
		}
		all, err := i.Addrs()
		if err != nil {
			return nil, fmt.Errorf("the address for %s: %w", key, err)
		}
		at := slices.IndexFunc(all, func(a net.Addr) bool { n, is := a.(*net.IPNet); return is && n.IP.To4() != nil })
		if at < 0 {
			return nil, fmt.Errorf("the address for %s: device %s has no IPv4 address", key, device)
		}
		args = append(args, "--set", key+"="+all[at].(*net.IPNet).IP.String())
	}
	return args, nil
}

// runInPod runs this program with other arguments.
func runInPod(c *cobra.Command, dir string, args []string) error {
	describePod(c.OutOrStdout())
	child := exec.CommandContext(c.Context(), tool.Self(), args...)
	child.Stdout, child.Stderr = c.OutOrStdout(), c.ErrOrStderr()
	if dir != "" {
		child.Stdout = io.Discard // the report is in the folder, and is printed where that arrives
	}
	child.Cancel = func() error { return child.Process.Signal(unix.SIGTERM) }
	child.WaitDelay = podStop
	err := child.Run()
	if child.ProcessState == nil {
		return fmt.Errorf("start %s: %w", tool.Self(), err)
	}
	status := child.ProcessState.ExitCode()
	if status < 0 { // a signal
		status = exit.Failed
		fmt.Fprintln(c.ErrOrStderr(), "upflab:", child.ProcessState)
	}
	describePod(c.OutOrStdout())
	if dir != "" {
		if err := podlog.Write(c.OutOrStdout(), dir, status); err != nil {
			return err
		}
	}
	if status == exit.Done || errors.Is(err, context.Canceled) {
		return nil
	}
	return exit.CommandError{Status: status}
}

func describePod(out io.Writer) {
	b, err := json.Marshal(podinside.Look())
	if err == nil {
		fmt.Fprintf(out, "%s%s\n", podFacts, b)
	}
}
