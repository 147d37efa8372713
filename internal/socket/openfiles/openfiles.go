// Package openfiles says when a process may open too few files. Each BPF map and program, socket and
// namespace is one; libraries that find no room for one say that the kernel lacks a feature.
package openfiles

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// needed is more than BPF programs with their maps, sockets and namespaces of one process take.
const needed = 256

// Check refuses a limit that is too low (RLIMIT_NOFILE). It says how to raise it.
func Check() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= needed {
		return nil
	}
	return fmt.Errorf("this process may open only %d files, and needs %d or more: raise the limit (`ulimit -n 1024`; under systemd "+
		"LimitNOFILE=1024; in a container --ulimit nofile=1024)", limit.Cur, needed)
}
