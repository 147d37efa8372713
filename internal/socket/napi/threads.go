// Package napi finds the kernel threads that receive for network devices (threaded NAPI, Linux
// 5.12 or later).
package napi

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Threads gives those of devices with one of the names, in the order of their making, which is
// that of a device's queues. The kernel names them by the device alone: those of devices with
// such a name in other network namespaces are among them.
func Threads(devices ...string) (pids []int, err error) {
	comms, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return nil, err
	}
	for _, path := range comms {
		comm, err := os.ReadFile(path)
		named := func(device string) bool { return isOf(device, string(comm)) }
		if err != nil || !slices.ContainsFunc(devices, named) {
			continue // processes come and go
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	return pids, nil
}

// isOf reports whether a thread's name is that of a device's: napi/DEVICE-NUMBER. Before Linux
// 5.17 the number may be cut off.
func isOf(device, comm string) bool {
	number, is := strings.CutPrefix(strings.TrimSpace(comm), "napi/"+device+"-")
	return is && strings.Trim(number, "0123456789") == ""
}
