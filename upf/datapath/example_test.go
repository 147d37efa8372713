package datapath_test

import (
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/session"
)

// counting is a datapath that says how often rules changed. What else the other one can do, it can
// do, too.
type counting struct {
	datapath.Datapath
	applied int
}

func (c *counting) Apply(changes []datapath.Change) error {
	c.applied++
	return c.Datapath.Apply(changes)
}

func ExampleDatapath() {
	ue := netip.MustParseAddr("10.45.0.2")
	d := &counting{Datapath: memory.New(0)}
	defer d.Close()
	rules := &session.Rules{
		SEID: 1,
		PDRs: []session.PDR{{ID: 1, RemoveOuterHeader: true, FAR: 1, URRs: []uint32{7},
			PDI: session.PDI{Source: session.Access, TEID: 0x1234, HasTEID: true, UE: ue}}},
		FARs: []session.FAR{{ID: 1, Action: session.Forward, Destination: session.Core}},
		URRs: []session.URR{{ID: 7}},
	}
	if err := d.Apply([]datapath.Change{{New: rules}}); err != nil {
		fmt.Println(err)
		return
	}
	can := d.Capabilities()
	used, err := can.Measurer.Usage(1, 7)
	fmt.Println(d.applied, "change; uplink packets:", used.Uplink.Packets, err)
	fmt.Println("captures:", can.Capture != nil)
	// Output:
	// 1 change; uplink packets: 0 <nil>
	// captures: false
}
