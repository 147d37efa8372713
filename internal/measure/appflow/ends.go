// Package appflow measures what a UE sees: it runs an application at one or more UEs
// against a server in the data network, watches who uses the CPUs meanwhile, and makes a
// record of it. What is between the two ends it does not know.
package appflow

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/apps"
	"github.com/upflab/upflab/internal/lab/apps/iperf3"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/scenario"
)

// Ends are the two sides of flows.
type Ends struct {
	UE  apps.Place
	UEs []netip.Addr // by number, each of the same IP as Server
	// Devices are the interfaces that UEs' packets leave by, where UEs have interfaces of
	// their own; nil: routes decide.
	Devices []string
	DN      apps.Place
	Server  netip.Addr // of the data network
	// MTU is the largest IP packet that a UE may send, octets.
	MTU int
	// Usage is what the UPF has used of its CPUs so far.
	Usage func() (telemetry.Sample, error)
	// PIDs are the programs of the run: this one, and the UPF's. Nil: not all are known, so
	// that others are not told from them.
	PIDs  []int
	Tools Tools
	// RAN gives the threads of the RAN's programs; nil: there is none, or it is not seen.
	RAN func() map[int]telemetry.Thread
	// Check says after a flow what of the way is gone; nil: nothing is asked.
	Check func() error
	// Handover moves a UE, by its number from 0, to another gNB, and returns how long the
	// UPF took to accept it; nil: there is none to move to.
	Handover func(ctx context.Context, ue int) (time.Duration, error)
}

// Tools are the programs that flows need.
type Tools struct {
	Iperf iperf3.Tool
	Ping  string // path
	// IperfMissing and PingMissing are why a program cannot be used.
	IperfMissing, PingMissing error
}

const (
	// interval is that of the series.
	interval = 500 * time.Millisecond
	// overtime is how long an application may take beyond its duration.
	overtime = 10 * time.Second
	// firstPort is the port of the first UE's server; those of others follow. It is not
	// iperf3's own, which may serve already in a data network that is not upflab's.
	firstPort = 5801
	// besidePort is that of the server for what goes on beside, webPort of the pages.
	besidePort = 5901
	webPort    = 8480
	// defaultPage is the length of a page, octets: about that of a small web page.
	defaultPage = 100_000
)

// device is the interface that a UE's packets leave by; "": routes decide.
func (e *Ends) device(ue int) string {
	if ue < len(e.Devices) {
		return e.Devices[ue]
	}
	return ""
}

// errRemote is what needs the UE on this machine.
var errRemote = errors.New("the UE's interface is on another machine: pages and one-way packets need it on this one")

// udpOctets is the payload that fills a packet of the UE's MTU.
func (e *Ends) udpOctets() int {
	if e.Server.Is6() {
		return e.MTU - 40 - 8
	}
	return e.MTU - 20 - 8
}

// family is the IP of what is between the ends, as the record has it.
func (e *Ends) family() string {
	if e.Server.Is6() {
		return string(scenario.FamilyIPv6)
	}
	return ""
}
