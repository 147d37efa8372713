package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/machine/program"
)

func newUEExec() *cobra.Command {
	var f ueFlags
	var root bool
	c := &cobra.Command{
		Use: "exec [flags] -- COMMAND [ARGUMENT]...", Short: "Run a command as a UE, behind a UPF",
		Long: `Bring a UPF up with PDU sessions, a gNB and a data network, run a command whose traffic
goes through all of them, and take everything down. The exit status is the command's.

Under sudo the command runs as the user who called it, else as root. Either way it has no
capability but that of ping: it cannot change networks or the machine. With --root it is
root with all.

In the data network are an HTTP server (http://dn.test/), a DNS server, and iperf3's
server where iperf3 is installed. With --set ue.family=ipv6, or both, UEs and servers
have IPv6.`,
		Example: `  upflab ue exec -- curl http://dn.test/ip
  upflab ue exec --dut open5gs:tun -- iperf3 -c dn.test
  upflab ue exec --dut eupf --ue 3 -- bash
  upflab ue exec --set ue.family=both -- curl -6 http://dn.test/ip`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no command to run as a UE")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return ueExec(c, f, root, args) },
	}
	c.Flags().SetInterspersed(false)
	c.Flags().BoolVar(&root, "root", false, "run the command as root with all capabilities, as tcpdump and ip link set need")
	f.add(c)
	return c
}

// find looks for the command as a shell does, with a shell's exit statuses.
func find(command string) error {
	_, err := exec.LookPath(command)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return exit.CommandError{Status: exit.NotRunnable, Why: fmt.Errorf("%s is not a program that you can run", command)}
	}
	return exit.CommandError{Status: exit.NotFound, Why: fmt.Errorf("there is no command %s: look at its name and at PATH", command)}
}

func ueExec(c *cobra.Command, f ueFlags, root bool, args []string) (err error) {
	var user program.User
	if !root {
		if user, err = program.Caller(); err != nil {
			return err
		}
	}
	if err := find(args[0]); err != nil {
		return err
	}
	l, err := f.open(c, c.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLab(c.ErrOrStderr(), l)) }()
	return foreground(l.Program(program.Spec{
		Args: args, Stdin: os.Stdin, Stdout: c.OutOrStdout(), Stderr: c.ErrOrStderr(), Foreground: true,
		User: user, Privileged: root,
	}))
}

// foreground runs a program that has the terminal. What is typed there reaches it by
// itself; other signals to end are passed on, and after 3 s it is killed.
func foreground(s program.Spec) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, append(exit.Ending(), unix.SIGQUIT)...)
	defer signal.Stop(signals)
	p, err := program.Start(context.Background(), s)
	if err != nil {
		return err
	}
	typed := term.IsTerminal(int(os.Stdin.Fd()))
	var kill <-chan time.Time
	for {
		select {
		case <-p.Exited():
			return ended(p.Wait())
		case <-kill:
			p.Signal(unix.SIGKILL)
		case got := <-signals:
			if typed && (got == unix.SIGINT || got == unix.SIGQUIT) {
				continue
			}
			p.Signal(got) // it may have ended
			if got != unix.SIGINT && got != unix.SIGQUIT && kill == nil {
				kill = time.After(3 * time.Second)
			}
		}
	}
}

// ended turns the end of a command into our own: its exit status, or 128 and the signal,
// as shells have it.
func ended(err error) error {
	var code *exec.ExitError
	if !errors.As(err, &code) {
		return err
	}
	if s, ok := code.Sys().(interface {
		Signaled() bool
		Signal() unix.Signal
	}); ok && s.Signaled() {
		return exit.CommandError{Status: 128 + int(s.Signal())}
	}
	return exit.CommandError{Status: code.ExitCode()}
}
