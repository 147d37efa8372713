package offload

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// KernelCutsUDP reports whether the kernel cuts a packet into datagrams (GSOUDP): since Linux 6.2.
func KernelCutsUDP() bool {
	var u unix.Utsname
	return unix.Uname(&u) == nil && cutsUDP(unix.ByteSliceToString(u.Release[:]))
}

func cutsUDP(release string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil {
		return false
	}
	return major > 6 || major == 6 && minor >= 2
}
