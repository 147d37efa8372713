package netdev

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shareNamedDir makes the folder of named namespaces a shared mount, as the first
// `ip netns add` does (iproute2, ip/ipnetns.c). Left to that, it would lay the folder over
// itself while ours are mounted in it, and they could not be removed any more.
func shareNamedDir() error {
	if err := os.MkdirAll(NamedDir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", NamedDir, err)
	}
	folder, err := os.Open(NamedDir)
	if err != nil {
		return fmt.Errorf("open %s: %w", NamedDir, err)
	}
	defer folder.Close()
	if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX); err != nil { // as iproute2 does
		return fmt.Errorf("lock %s: %w", NamedDir, err)
	}
	err = unix.Mount("", NamedDir, "none", unix.MS_SHARED|unix.MS_REC, "")
	if err == unix.EINVAL { // not a mount yet
		if err = unix.Mount(NamedDir, NamedDir, "none", unix.MS_BIND|unix.MS_REC, ""); err == nil {
			err = unix.Mount("", NamedDir, "none", unix.MS_SHARED|unix.MS_REC, "")
		}
	}
	if err != nil && err != unix.EPERM { // the root of a user namespace may not, and need not
		return fmt.Errorf("share the mount %s: %w", NamedDir, err)
	}
	return nil
}
