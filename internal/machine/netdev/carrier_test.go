package netdev

import (
	"os"
	"testing"

	"github.com/vishvananda/netlink"
)

// TestCarrier: that the link of a veth was gone is seen at both ends, whichever was set down, also once
// it is back; and an answer that is cut short is an error.
func TestCarrier(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	ns, err := New("upflab-test-carrier")
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()
	if err := ns.nl.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "va"}, PeerName: "vb"}); err != nil {
		t.Fatal(err)
	}
	var links [2]netlink.Link
	var ports [2]Port
	for i, name := range []string{"va", "vb"} {
		if links[i], err = ns.nl.LinkByName(name); err != nil {
			t.Fatal(err)
		}
		ports[i] = Port{NS: ns, Name: name, Index: links[i].Attrs().Index}
		if err := ns.nl.LinkSetUp(links[i]); err != nil {
			t.Fatal(err)
		}
	}
	now := func() (c [2]Carrier) {
		for i := range ports {
			if c[i], err = ports[i].Carrier(); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	before := now()
	for down := range links {
		if err := ns.nl.LinkSetDown(links[down]); err != nil {
			t.Fatal(err)
		}
		if c := now(); c[0].Up || c[1].Up {
			t.Errorf("end %d is down: %+v", down, c)
		}
		if err := ns.nl.LinkSetUp(links[down]); err != nil {
			t.Fatal(err)
		}
		after := now()
		for i := range after {
			if !before[i].Up || !after[i].Up || after[i].Changes == before[i].Changes {
				t.Errorf("end %d was down: end %d was %+v and is %+v", down, i, before[i], after[i])
			}
		}
		before = after
	}
	if _, err := decodeCarrier(make([]byte, 9)); err == nil {
		t.Error("an answer that is cut short is read")
	}
}
