// Package sshagent runs an agent on a host that ssh reaches: it copies upflab and a pass
// there, starts the agent, and takes everything away when the connection ends, however
// it does.
package sshagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// Config says what runs where.
type Config struct {
	Host    string   // as ssh takes it
	Command []string // ssh and its options; none: "ssh"
	Program string   // upflab, for that host
	Pass    string   // the agent's pass, a file
	Args    []string // more for `upflab agent`
	Out     io.Writer
}

// script runs on the host. It reads the program and the pass from standard input, which
// then stays open: when it ends the agent does. %d are their sizes, %s more arguments.
const script = `set -e; umask 077; d=$(mktemp -d /tmp/upflab-agent-XXXXXX); trap 'rm -rf "$d"' EXIT
head -c %d >"$d/upflab"; head -c %d >"$d/agent.pass"; chmod 700 "$d/upflab"
s=; [ "$(id -u)" = 0 ] || s='sudo -n'
$s "$d/upflab" agent --until-eof --pass "$d/agent.pass" --dir "$d/work" %s; $s rm -rf "$d/work"`

// aHost is a host as ssh takes it: USER@HOST, ssh://USER@HOST:PORT, or a name of its configuration.
// Neither part begins as an option does, nor has it what a shell of that configuration would read.
var aHost = regexp.MustCompile(`^(ssh://)?([A-Za-z0-9_][A-Za-z0-9._+\\-]*@)?[A-Za-z0-9_:\[][A-Za-z0-9._:%\]-]*$`)

// CheckHost refuses what ssh would not read as a host, such as -oProxyCommand=, an option.
func CheckHost(host string) error {
	if !aHost.MatchString(host) {
		return fmt.Errorf("%+q is no host as ssh takes it: name USER@HOST, or a host of ssh's configuration", host)
	}
	return nil
}

// Run runs the agent until ctx ends, or the agent does. ssh belongs to no run: it makes nothing on this
// machine, and ends with its input, also when upflab is killed.
func Run(ctx context.Context, c Config) error {
	program, err := os.ReadFile(c.Program)
	if err != nil {
		return fmt.Errorf("read the program to copy: %w", err)
	}
	pass, err := os.ReadFile(c.Pass)
	if err != nil {
		return fmt.Errorf("read the pass to copy: %w", err)
	}
	if err := CheckHost(c.Host); err != nil {
		return err
	}
	command := c.Command
	if len(command) == 0 {
		command = []string{"ssh"}
	}
	args := append(append([]string{}, command[1:]...), c.Host, fmt.Sprintf(script, len(program), len(pass), quoted(c.Args)))
	ssh := exec.Command(command[0], args...)
	ssh.Stdout, ssh.Stderr = c.Out, c.Out
	in, err := ssh.StdinPipe()
	if err != nil {
		return err
	}
	if err := ssh.Start(); err != nil {
		return fmt.Errorf("reach %s: %w", c.Host, err)
	}
	return feed(ctx, ssh, in, append(program, pass...), c.Host)
}

// patience is how long the host may take to clean up.
const patience = 30 * time.Second

// feed sends what is to be copied, and ends the agent with ctx.
func feed(ctx context.Context, ssh *exec.Cmd, in io.WriteCloser, data []byte, host string) error {
	ended := make(chan error, 1)
	go func() {
		_, _ = in.Write(data) // if it fails, ssh ends, and says why
		<-ctx.Done()
		in.Close()
	}()
	go func() { ended <- ssh.Wait() }()
	select {
	case err := <-ended:
		return explain(host, err)
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return explain(host, err)
	case <-time.After(patience):
		_ = ssh.Process.Kill()
		return fmt.Errorf("the agent on %s did not end within %s: look there for upflab, and run `upflab clean`", host, patience)
	}
}

func explain(host string, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the agent on %s ended with status %d", host, exit.ExitCode())
	}
	return err
}

// quoted are arguments as a shell takes them.
func quoted(args []string) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(list, " ")
}
