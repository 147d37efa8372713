package host

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TrafficThread is the name of threads that send or receive a trial's packets: what
// disturbs a trial is told by it from what belongs to it.
const TrafficThread = "upflab-traffic"

// NameThread names the calling thread, in at most 15 octets. It should be locked, and
// end with its work.
func NameThread(name string) error {
	b, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(b)), 0, 0, 0); err != nil {
		return fmt.Errorf("name the thread %s: %w", name, err)
	}
	return nil
}
