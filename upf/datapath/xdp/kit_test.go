package xdp

import (
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// TestKit has the datapath pass what every datapath passes.
func TestKit(t *testing.T) {
	datapathtest.Run(t, func(t testing.TB) datapath.Datapath {
		buildNetwork(t)
		dp, err := Open(labConfig())
		must(t, "Open", err)
		return dp
	})
}
