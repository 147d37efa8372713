// Package appflow measures what a UE sees: it runs an application at one or more UEs
// against a server in the data network, watches who uses the CPUs meanwhile, and makes a
// record of it. What is between the two ends it does not know.
package appflow

import (
	"context"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/apps"
	"github.com/upflab/upflab/internal/apps/iperf3"
	"github.com/upflab/upflab/internal/telemetry"
)

// Ends are the two sides of flows.
type Ends struct {
	UE     apps.Place
	UEs    []netip.Addr // by number
	DN     apps.Place
	Server netip.Addr // of the data network
	// MTU is the largest IP packet that a UE may send, octets.
	MTU int
	// Usage is what the UPF has used of its CPUs so far.
	Usage func() (telemetry.Sample, error)
	Tools Tools
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
	// firstPort is the port of the first UE's server; those of others follow.
	firstPort = 5201
	// besidePort is that of the server for what goes on beside, webPort of the pages.
	besidePort = 5901
	webPort    = 8480
	// defaultPage is the length of a page, octets: about that of a small web page.
	defaultPage = 100_000
)

// udpOctets is the payload that fills a packet of the UE's MTU.
func (e *Ends) udpOctets() int { return e.MTU - 20 - 8 }
