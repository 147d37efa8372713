package forward

import (
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

func TestQuotaAction(t *testing.T) {
	f := forwarderFor(t)
	for _, r := range datapathtest.FrameSessions() { // which have the keys
		if err := f.Apply([]datapath.Change{{Old: r}}); err != nil {
			t.Fatal(err)
		}
	}
	datapathtest.CheckQuotaAction(t, f, func(program string, frame []byte) []byte {
		out, _ := f.one(way(datapathtest.Frame{Program: program}), frame)
		return out
	})
}
