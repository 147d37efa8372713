package netdev

import (
	"fmt"
	"path/filepath"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

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
			if ns, err := netns.GetFromPath(path); err == nil {
				return open("", ns)
			}
		}
	}
	return nil, fmt.Errorf("the network namespace (inode %d) that it came from is gone", inode)
}
