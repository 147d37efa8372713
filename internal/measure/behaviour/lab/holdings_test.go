package lab

import (
	"net/netip"
	"os"
	"testing"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/measure/behaviour"
)

// TestRoutingIsCounted: a route more is counted.
func TestRoutingIsCounted(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("making network namespaces needs root")
	}
	ns, err := netdev.New("upflab-" + host.NewRunID() + "-held")
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()
	before, after := behaviour.Holdings{}, behaviour.Holdings{}
	if err := routing(before, ns.Netlink()); err != nil {
		t.Fatal(err)
	}
	if err := ns.Blackhole(netip.MustParsePrefix("10.45.0.0/16")); err != nil {
		t.Fatal(err)
	}
	if err := routing(after, ns.Netlink()); err != nil {
		t.Fatal(err)
	}
	if after["IPv4 routes"] != before["IPv4 routes"]+1 || after["links"] != before["links"] || before["links"] == 0 {
		t.Errorf("before %v, after %v", before, after)
	}
	sockets(after, os.Getpid())
	if _, counted := after["udp sockets"]; !counted {
		t.Errorf("no UDP sockets are counted: %v", after)
	}
}
