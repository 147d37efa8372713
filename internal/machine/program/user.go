package program

import (
	"errors"
	"fmt"
	"os"
	osuser "os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// User is who called sudo. The zero value is whoever runs upflab.
type User struct {
	Known      bool
	UID, GID   int
	Groups     []int // supplementary
	Name, Home string
}

// Caller is who called sudo.
func Caller() (User, error) {
	id := os.Getenv("SUDO_UID")
	if os.Geteuid() != 0 || id == "" || id == "0" {
		return User{}, nil
	}
	u, err := osuser.LookupId(id)
	if err != nil {
		return User{}, fmt.Errorf("find the user who called sudo: %w", err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err1 != nil || err2 != nil {
		return User{}, fmt.Errorf("the user who called sudo has the ids %q and %q", u.Uid, u.Gid)
	}
	out := User{Known: true, UID: uid, GID: gid, Name: u.Username, Home: u.HomeDir}
	groups, _ := u.GroupIds() // without them the user has less, not more
	for _, g := range groups {
		if n, err := strconv.Atoi(g); err == nil {
			out.Groups = append(out.Groups, n)
		}
	}
	return out, nil
}

// Environment has the user's home and name.
func (u User) Environment() []string {
	if !u.Known {
		return nil
	}
	return []string{"HOME=" + u.Home, "USER=" + u.Name, "LOGNAME=" + u.Name}
}

// Credential makes a process the user's; nil: it stays that of whoever runs upflab.
func (u User) Credential() *syscall.Credential {
	if !u.Known {
		return nil
	}
	c := &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID)}
	for _, g := range u.Groups {
		c.Groups = append(c.Groups, uint32(g))
	}
	return c
}

// pingNeeds is the capability that ping's file asks for: the kernel refuses to run a
// program whose capabilities nobody may have.
const pingNeeds = unix.CAP_NET_RAW

// boundCapabilities takes from what the calling thread starts, root's programs included, every
// capability but ping's. The thread keeps its own.
func boundCapabilities() error {
	for c := uintptr(0); ; c++ {
		if c == pingNeeds {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			return nil // the kernel has no more
		}
		if err != nil {
			return fmt.Errorf("take capability %d away: %w", c, err)
		}
	}
}
