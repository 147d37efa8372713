package xdp

import (
	"testing"

	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// TestPathSwitch: to a gNB that the kernel has not resolved.
func TestPathSwitch(t *testing.T) {
	l := newLab(t, labConfig())
	for _, peer := range []string{"n3p", "n6p"} {
		openTap(t, peer) // GRO on
	}
	livetest.PathSwitch(t, l.dp)
}
