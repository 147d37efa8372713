package forward

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

func intermediateFor(t *testing.T, c Config) (*Forwarder, error) {
	c.N3Address, c.MaxSessions = netip.MustParseAddr("192.0.2.1"), 1
	c.Routers = [Directions]Router{
		Uplink:   nextHops{netip.MustParseAddr("198.51.100.2"): hopTo(6, 1)},
		Downlink: nextHops{netip.MustParseAddr("192.0.2.2"): hopTo(3, 1)},
	}
	f := New(c)
	return f, f.Apply([]datapath.Change{{New: datapathtest.Intermediate()}})
}

// TestRelay: from a tunnel into a tunnel, with the octets that scapy expects.
func TestRelay(t *testing.T) {
	for _, c := range datapathtest.RelayFrames(t) {
		t.Run(c.Name, func(t *testing.T) {
			f, err := intermediateFor(t, Config{})
			if err != nil {
				t.Fatal(err)
			}
			if sent, v := f.one(Uplink, c.In); !bytes.Equal(sent, c.Out) {
				t.Errorf("verdict %d, sent\n%x, want\n%x", v, sent, c.Out)
			}
		})
	}
}

// TestRelayCounts: by the PDR's side, whatever tunnel a packet goes into.
func TestRelayCounts(t *testing.T) {
	f, err := intermediateFor(t, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range datapathtest.RelayFrames(t) {
		f.one(Uplink, c.In)
	}
	if c := f.Counters(); c.Uplink.Packets != 10 || c.Downlink.Packets != 17 {
		t.Errorf("counters %+v, want 10 uplink and 17 downlink", c)
	}
	u, err := f.Usage(77, 1)
	if err != nil || u.Uplink.Packets != 7 || u.Downlink.Packets != 3 {
		t.Errorf("usage %+v, %v, want 7 uplink and 3 downlink", u, err)
	}
}

func TestNoRelay(t *testing.T) {
	if _, err := intermediateFor(t, Config{NoRelay: true}); err == nil {
		t.Error("a datapath that does not relay takes the rules")
	}
}
