package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Where a container of docker's finds upflab itself and the UPF's namespace, and the
// command of upflab that it starts with.
const (
	enterProgram   = "/.upflab/upflab"
	enterNamespace = "/.upflab/net"
	EnterCommand   = "enter"
)

// joinArgs are the options that put a container into the UPF's namespace, and the
// arguments after the image's name. Podman joins a namespace by its path. Docker does
// not, so its container starts without a network and with upflab, which joins the
// namespace and becomes the program.
func joinArgs(s Spec) (options, program []string, err error) {
	path := s.Site.UPF().Path()
	if !s.Image.Docker {
		return []string{"--network", "ns:" + path, "--entrypoint", s.Args[0]}, s.Args[1:], nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find upflab's own program: %w", err)
	}
	return []string{"--network", "none", "--entrypoint", enterProgram,
			"--volume", self + ":" + enterProgram + ":ro", "--volume", filepath.Clean(path) + ":" + enterNamespace},
		append([]string{EnterCommand, "--"}, s.Args...), nil
}

// engineEnv is what of our environment the engine's command reads: where its daemon is.
func engineEnv() (list []string) {
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "DOCKER_") || strings.HasPrefix(e, "CONTAINER_") {
			list = append(list, e)
		}
	}
	return list
}

// Enter is run in such a container: it joins the namespace, shows its devices in /sys,
// and becomes the program, which is looked up in the container's PATH. It returns on
// error only.
func Enter(args []string) error {
	runtime.LockOSThread() // for good: it becomes the program
	to, err := netns.GetFromPath(enterNamespace)
	if err != nil {
		return fmt.Errorf("open the UPF's namespace: %w", err)
	}
	if err := netns.Set(to); err != nil {
		return fmt.Errorf("join the UPF's namespace: %w", err)
	}
	if err := (Spec{}).mount(); err != nil {
		return err
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return fmt.Errorf("the image has no such program: %w: set container.program to its path in the image", err)
	}
	return fmt.Errorf("start %s: %w", path, unix.Exec(path, args, os.Environ()))
}
