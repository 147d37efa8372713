package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/upflab/upflab/internal/netdev"
)

// EndInside kills every process in a named network namespace but this one, until there
// is none, and reports whether there were any. It is for namespaces that users' programs run in: what those
// leave behind goes with the namespace. A namespace that does not exist has none.
func EndInside(name string) (were bool, err error) {
	id, err := inodeOf(filepath.Join(netdev.NamedDir, name))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at namespace %s: %w", name, err)
	}
	const rounds = 10 // a process may start another while it is killed
	for range rounds {
		list := inside(id)
		if len(list) == 0 {
			return were, nil
		}
		were = true
		for _, p := range list {
			if _, err := p.kill(); err != nil {
				return were, fmt.Errorf("end process %d in namespace %s: %w", p.PID, name, err)
			}
		}
	}
	return were, fmt.Errorf("programs in namespace %s start others faster than they can be ended", name)
}

// inside are the processes in a network namespace. Zombies have none.
func inside(id inode) (list []process) {
	paths, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil || pid == os.Getpid() {
			continue
		}
		start, err := startTime(pid) // first, as in orphans
		if err != nil {
			continue
		}
		if at, err := inodeOf(path + "/ns/net"); err == nil && at == id {
			list = append(list, process{pid, start})
		}
	}
	return list
}
