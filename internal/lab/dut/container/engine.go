package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// engine is the command that runs containers.
type engine struct {
	command []string
	docker  bool // else podman
}

const variable = "UPFLAB_CONTAINER"

// find takes the command from UPFLAB_CONTAINER, which may have options of its own, as in
// "podman --runtime runc", or podman or else docker from PATH.
func find(info dut.Info) (engine, error) {
	command := strings.Fields(os.Getenv(variable))
	if len(command) == 0 {
		command = []string{"podman"}
		if _, err := exec.LookPath("podman"); err != nil {
			if _, err := exec.LookPath("docker"); err == nil {
				command = []string{"docker"}
			}
		}
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return engine{}, fmt.Errorf("container needs podman or docker, and there is no %q: `sudo apt install "+
			"podman`, see %s, or set %s to its path",
			command[0], info.Docs, variable)
	}
	command[0] = path
	return engine{command, strings.Contains(filepath.Base(path), "docker")}, nil
}

// name is the program's, for people.
func (e engine) name() string { return filepath.Base(e.command[0]) }

// asking is how long the engine may take for an answer, pulling for a download.
const (
	asking  = 10 * time.Second
	pulling = 15 * time.Minute
)

func (e engine) ask(ctx context.Context, within time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	out, err := exec.CommandContext(ctx, e.command[0], append(slices.Clone(e.command[1:]), args...)...).Output()
	var status *exec.ExitError
	if errors.As(err, &status) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(status.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// version asks the program, which answers "podman version 4.3.1", or "Docker version
// 28.2.2, build e6534b4".
func (e engine) version() (string, error) {
	text, err := e.ask(context.Background(), asking, "--version")
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", e.command[0], err)
	}
	if v, is := strings.CutPrefix(text, "podman version "); is {
		return "podman " + v, nil
	}
	if v, is := strings.CutPrefix(text, "Docker version "); is {
		v, _, _ = strings.Cut(v, ",")
		return "docker " + v, nil
	}
	return "", fmt.Errorf("%s --version answers %q, which is neither podman's nor docker's", e.command[0], text)
}

// images gets the images of a UPF, and names them with the beginning of their ids.
func (e engine) images(ctx context.Context, c scenario.Container) (string, error) {
	text := "image "
	for i, name := range []string{c.Image, c.Control} {
		if name == "" {
			continue
		}
		id, err := e.image(ctx, name, c.Pull)
		if err != nil {
			return "", err
		}
		if i > 0 {
			text += " and "
		}
		text += fmt.Sprintf("%s (%.12s)", name, id)
	}
	return text, nil
}

// image is the id of an image. One that is not on this machine is downloaded when
// that is allowed.
func (e engine) image(ctx context.Context, name string, pull bool) (id string, err error) {
	if id, err = e.inspect(ctx, name); err == nil {
		return id, nil
	}
	if !pull {
		return "", fmt.Errorf("find the image %s: %w: add --pull and upflab downloads it, or get it by `%s pull %s`", name, err, e.name(), name)
	}
	if _, err := e.ask(ctx, pulling, "pull", name); err != nil {
		return "", fmt.Errorf("download the image %s: %w", name, err)
	}
	if id, err = e.inspect(ctx, name); err != nil {
		return "", fmt.Errorf("find the image %s, which %s has downloaded: %w", name, e.name(), err)
	}
	return id, nil
}

// inspect gives the id without the name of its hash.
func (e engine) inspect(ctx context.Context, name string) (string, error) {
	id, err := e.ask(ctx, asking, "image", "inspect", "--format", "{{.Id}}", name)
	return strings.TrimPrefix(id, "sha256:"), err
}
