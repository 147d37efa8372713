package bisect

import (
	"fmt"
	"os"
	osuser "os/user"
	"strconv"
	"syscall"
)

// user is who called sudo: git and builds run as them, so that nothing of root's is left
// in their repository and caches. The zero value is whoever runs upflab.
type user struct {
	known      bool
	uid, gid   int
	name, home string
}

func caller() (user, error) {
	id := os.Getenv("SUDO_UID")
	if os.Geteuid() != 0 || id == "" || id == "0" {
		return user{}, nil
	}
	u, err := osuser.LookupId(id)
	if err != nil {
		return user{}, fmt.Errorf("find the user who called sudo: %w", err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err1 != nil || err2 != nil {
		return user{}, fmt.Errorf("the user who called sudo has the ids %q and %q", u.Uid, u.Gid)
	}
	return user{known: true, uid: uid, gid: gid, name: u.Username, home: u.HomeDir}, nil
}

// attributes of a process that runs as the user, is killed with the thread that starts
// it, and has a process group of its own: a Ctrl-C is for upflab, which then ends it.
func (u user) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if u.known {
		a.Credential = &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.gid)}
	}
	return a
}

// own gives a folder to the user.
func (u user) own(dir string) error {
	if !u.known {
		return nil
	}
	if err := os.Chown(dir, u.uid, u.gid); err != nil {
		return fmt.Errorf("give %s to %s: %w", dir, u.name, err)
	}
	return nil
}
