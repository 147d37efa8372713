package bisect

import (
	"fmt"
	"os"
	"syscall"

	"github.com/upflab/upflab/internal/machine/program"
)

// user is who called sudo: git and builds run as them, so that nothing of root's is left
// in their repository and caches.
type user struct{ program.User }

func caller() (user, error) {
	u, err := program.Caller()
	return user{u}, err
}

// attributes of a process that runs as the user and has a process group of its own: a Ctrl-C is
// for upflab, which then ends it.
func (u user) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: u.Credential()}
}

// own gives a folder to the user.
func (u user) own(dir string) error {
	if !u.Known {
		return nil
	}
	if err := os.Chown(dir, u.UID, u.GID); err != nil {
		return fmt.Errorf("give %s to %s: %w", dir, u.Name, err)
	}
	return nil
}
