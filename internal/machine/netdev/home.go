package netdev

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/wait"
)

// goneError is the number of a namespace that is no more; it is fs.ErrNotExist.
type goneError uint32

func (e goneError) Error() string {
	return fmt.Sprintf("the network namespace (inode %d) that it came from is gone", uint32(e))
}

func (goneError) Is(target error) bool { return target == fs.ErrNotExist }

// ByInode opens the namespace with a number: that of a process, or a named one.
func ByInode(inode uint32) (*Namespace, error) {
	n, err := Current()
	if err != nil {
		return nil, err
	}
	if has, err := n.Inode(); err == nil && has == inode {
		return n, nil
	}
	n.Release()
	for _, pattern := range []string{filepath.Join(NamedDir, "*"), "/proc/[0-9]*/ns/net"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			var s unix.Stat_t
			if unix.Stat(path, &s) != nil || uint32(s.Ino) != inode {
				continue
			}
			ns, err := netns.GetFromPath(path)
			if err != nil {
				return nil, fmt.Errorf("open %s: %w", path, err)
			}
			return open("", ns)
		}
	}
	return nil, goneError(inode)
}

// lockNamedDir locks the folder of named namespaces, as iproute2 does. Whoever can read the folder can hold
// the lock, so it is not waited for without end.
func lockNamedDir() (*os.File, error) {
	const within, every = 10 * time.Second, 20 * time.Millisecond
	folder, err := os.Open(NamedDir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", NamedDir, err)
	}
	wait.Until(within, every, func() bool {
		err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		return err == nil
	})
	if err != nil {
		folder.Close()
		return nil, fmt.Errorf("lock %s: another process holds it (`fuser -v %s` names it): end that one: %w", NamedDir, NamedDir, err)
	}
	return folder, nil
}

// shareNamedDir makes the folder of named namespaces a shared mount, as the first
// `ip netns add` does (iproute2, ip/ipnetns.c). Left to that, it would lay the folder over
// itself while ours are mounted in it, and they could not be removed any more.
func shareNamedDir() error {
	if err := os.MkdirAll(NamedDir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", NamedDir, err)
	}
	err := unix.Mount("", NamedDir, "none", unix.MS_SHARED|unix.MS_REC, "")
	if err == unix.EINVAL { // not a mount yet
		folder, locked := lockNamedDir()
		if locked != nil {
			return locked
		}
		defer folder.Close()
		if err = unix.Mount("", NamedDir, "none", unix.MS_SHARED|unix.MS_REC, ""); err == nil {
			return nil // another process was faster
		}
		if err = unix.Mount(NamedDir, NamedDir, "none", unix.MS_BIND|unix.MS_REC, ""); err == nil {
			err = unix.Mount("", NamedDir, "none", unix.MS_SHARED|unix.MS_REC, "")
		}
	}
	if err != nil && err != unix.EPERM { // the root of a user namespace may not, and need not
		return fmt.Errorf("share the mount %s: %w", NamedDir, err)
	}
	return nil
}
