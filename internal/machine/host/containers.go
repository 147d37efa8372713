package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// container is one that the run makes, by a command of podman or docker that may have
// options of its own before the verb.
type container struct {
	Command []string `json:"command"`
	Name    string   `json:"name"`
	Docker  bool     `json:"docker,omitempty"`
}

// AddContainer writes a container down, before it is made.
func (c *Claim) AddContainer(command []string, name string, docker bool) error {
	return c.add(func(o *owned) { o.Containers = append(o.Containers, container{command, name, docker}) })
}

// RemoveContainer ends and removes it; one that is gone already is no error.
func (c *Claim) RemoveContainer(name string) error {
	at := slices.IndexFunc(c.owns.Containers, func(x container) bool { return x.Name == name })
	if at < 0 {
		return nil
	}
	if _, err := c.owns.Containers[at].remove(); err != nil {
		return err
	}
	return c.drop(func(o *owned) { o.dropContainer(name) })
}

// removing is how long an engine may take to remove a container.
const removing = 30 * time.Second

// remove tells whether there was one.
func (c container) remove() (was bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), removing)
	defer cancel()
	if len(c.Command) == 0 {
		return false, errors.New("a container without the command that made it")
	}
	if c.gone(ctx) {
		return false, nil
	}
	if err := c.run(ctx, c.removal()...); err != nil {
		return true, fmt.Errorf("remove container %s: %w: remove it with %q", c.Name, err, strings.Join(c.Command, " ")+" rm --force "+c.Name)
	}
	return true, nil
}

// gone is true when the engine says that there is no such container; not when it says
// nothing.
func (c container) gone(ctx context.Context) bool {
	if c.Docker {
		out, err := c.command(ctx, "container", "ls", "--all", "--quiet", "--filter", "name=^/?"+c.Name+"$").Output()
		return err == nil && len(strings.TrimSpace(string(out))) == 0
	}
	var status *exec.ExitError
	err := c.run(ctx, "container", "exists", c.Name)
	return errors.As(err, &status) && status.ExitCode() == 1
}

func (c container) removal() []string {
	if c.Docker { // which waits for nothing
		return []string{"rm", "--force", c.Name}
	}
	return []string{"rm", "--force", "--ignore", "--time", "0", c.Name}
}

func (c container) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, c.Command[0], append(slices.Clone(c.Command[1:]), args...)...)
}

func (c container) run(ctx context.Context, args ...string) error {
	out, err := c.command(ctx, args...).CombinedOutput()
	if text := strings.TrimSpace(string(out)); err != nil && text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// Rootless reports whether upflab is root in a user namespace only, as `unshare -Ur`
// makes it: it may make network namespaces, but not load BPF programs, pin the
// kernel's threads or change the machine.
func Rootless() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && rootless(string(text))
}

// rootless is about the contents of /proc/PID/uid_map: the first user namespace maps
// all users to themselves.
func rootless(uidMap string) bool {
	fields := strings.Fields(uidMap)
	return len(fields) != 3 || fields[0] != "0" || fields[1] != "0" || fields[2] != "4294967295"
}

// PrepareRootless gives a run in a user namespace a /run of its own, for the lists of
// runs and the names of namespaces: that of the machine is not its to write. It needs
// a mount namespace of its own.
func PrepareRootless() error {
	if !Rootless() {
		return nil
	}
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""),
		unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755")); err != nil {
		return fmt.Errorf("mount a /run of its own in this user namespace: %w: begin with `unshare -Urnmpf "+
			"--mount-proc upflab ...`, whose m makes a mount namespace", err)
	}
	return nil
}
