package site

import (
	"fmt"
	"testing"
)

// The largest MTU for native XDP is the kernel's: one more, and it refuses.
func TestNativeMTU(t *testing.T) {
	for mtu, want := range map[int]bool{nativeMTU: true, nativeMTU + 1: false} {
		t.Run(fmt.Sprint(mtu), func(t *testing.T) {
			tb := builtWithMTU(t, mtu)
			tried := tb.UPFN3
			tried.physical = true // then it is tried
			if got := tried.NativeXDP(); got != want || tb.NativeXDP() != want {
				t.Errorf("the kernel says %v, we %v", got, tb.NativeXDP())
			}
		})
	}
}
