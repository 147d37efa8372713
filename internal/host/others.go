package host

import (
	"os"
	"strconv"
	"time"
)

// firstPIDNamespace is the one that sees all processes (PROC_PID_INIT_INO of the kernel).
const firstPIDNamespace = "pid:[4026531836]"

// OtherUserTime is how long all processes but ours and their children ran outside the
// kernel so far, with those of their children that have ended. In a container not all can
// be seen: known is then false.
func OtherUserTime(ours ...int) (sum time.Duration, known bool, err error) {
	if ns, err := os.Readlink("/proc/self/ns/pid"); err != nil || ns != firstPIDNamespace {
		return 0, false, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, false, err
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		own, err := userTime(pid)
		if err != nil {
			return 0, false, err
		}
		sum += own
	}
	own, err := UserTime(ours...)
	return sum - own, true, err
}
