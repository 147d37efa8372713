package netdev

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRootNotMounted: the error in a chroot says what to do, and no other error does.
func TestRootNotMounted(t *testing.T) {
	for err, advice := range map[error]bool{unix.EINVAL: true, unix.EPERM: false} {
		got := rootNotMounted(err)
		if strings.Contains(got.Error(), "mount --bind") != advice || !errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
	}
}
