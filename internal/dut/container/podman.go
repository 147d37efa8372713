package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/dut"
)

// podman is the command that runs containers.
type podman struct{ command []string }

const variable = "UPFLAB_CONTAINER"

// find takes the command from UPFLAB_CONTAINER, which may have options of podman's
// own, as in "podman --runtime runc", or from PATH.
func find(info dut.Info) (podman, error) {
	command := strings.Fields(os.Getenv(variable))
	if len(command) == 0 {
		command = []string{"podman"}
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return podman{}, fmt.Errorf("container needs podman, and there is no %q: see %s, or set %s to its path; "+
			"docker will not do, for it cannot join a network namespace by its path", command[0], info.Docs, variable)
	}
	command[0] = path
	return podman{command}, nil
}

// asking is how long podman may take for an answer.
const asking = 10 * time.Second

func (p podman) ask(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	out, err := exec.CommandContext(ctx, p.command[0], append(slices.Clone(p.command[1:]), args...)...).Output()
	var status *exec.ExitError
	if errors.As(err, &status) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(status.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// version asks the program, which answers "podman version 4.3.1".
func (p podman) version() (string, error) {
	text, err := p.ask(context.Background(), "--version")
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", p.command[0], err)
	}
	v, is := strings.CutPrefix(text, "podman version ")
	if !is {
		return "", fmt.Errorf("%s --version answers %q, which is not podman's", p.command[0], text)
	}
	return "podman " + v, nil
}

// image is the id of an image that is on this machine.
func (p podman) image(ctx context.Context, name string) (id string, err error) {
	if id, err = p.ask(ctx, "image", "inspect", "--format", "{{.Id}}", name); err != nil {
		return "", fmt.Errorf("find the image %s: %w: podman pull or build it first, upflab downloads none", name, err)
	}
	return id, nil
}
