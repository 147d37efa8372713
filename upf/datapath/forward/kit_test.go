package forward

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// alone is a forwarder as a datapath without ports.
type alone struct{ Control }

func (alone) Close() error { return nil }

func TestKit(t *testing.T) {
	datapathtest.Run(t, func(testing.TB) datapath.Datapath {
		return alone{Share(New(Config{
			N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 100,
			UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
		})).Control()}
	})
}
