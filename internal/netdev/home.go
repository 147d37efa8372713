package netdev

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
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
