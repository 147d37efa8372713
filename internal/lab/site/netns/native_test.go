package netns

import (
	"fmt"
	"testing"

	"github.com/upflab/upflab/internal/lab/site"
)

// The largest MTU for native XDP is the kernel's: one more, and it refuses.
func TestNativeMTU(t *testing.T) {
	for mtu, want := range map[int]bool{3506: true, 3507: false} {
		t.Run(fmt.Sprint(mtu), func(t *testing.T) {
			tb := builtWithMTU(t, mtu)
			tried := tb.Links().UPFN3
			tried.Physical = true // then it is tried
			if got := tried.XDP().Native(); got != want || site.NativeXDP(tb) != want {
				t.Errorf("the kernel says %v, we %v", got, site.NativeXDP(tb))
			}
		})
	}
}
