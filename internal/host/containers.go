package host

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// container is one that the run makes, by a podman command that may have options
// of its own before the verb.
type container struct {
	Command []string `json:"command"`
	Name    string   `json:"name"`
}

// AddContainer writes a container down, before it is made.
func (c *Claim) AddContainer(command []string, name string) error {
	return c.add(func(o *owned) { o.Containers = append(o.Containers, container{command, name}) })
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

// removing is how long podman may take to remove a container.
const removing = 30 * time.Second

// remove tells whether there was one.
func (c container) remove() (was bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), removing)
	defer cancel()
	if len(c.Command) == 0 {
		return false, errors.New("a container without the command that made it")
	}
	var status *exec.ExitError
	if err := c.run(ctx, "container", "exists", c.Name); errors.As(err, &status) && status.ExitCode() == 1 {
		return false, nil
	}
	if err := c.run(ctx, "rm", "--force", "--ignore", "--time", "0", c.Name); err != nil {
		return true, fmt.Errorf("remove container %s: %w: remove it with %q", c.Name, err, strings.Join(c.Command, " ")+" rm --force "+c.Name)
	}
	return true, nil
}

func (c container) run(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, c.Command[0], append(slices.Clone(c.Command[1:]), args...)...).CombinedOutput()
	if text := strings.TrimSpace(string(out)); err != nil && text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}
