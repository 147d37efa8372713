package host

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

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
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""), unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755")); err != nil {
		return fmt.Errorf("mount a /run of its own in this user namespace: %w: begin with `unshare -Urnmpf --mount-proc upflab ...`, whose m makes a mount namespace", err)
	}
	return nil
}
