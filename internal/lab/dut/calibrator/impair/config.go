package impair

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/upf/datapath/suppress"
)

// Config is where the packets are and what to do to them. Interfaces and
// their addresses are those of the network namespace of the calling thread.
type Config struct {
	N3, N6    string     // interface names, which differ
	N3Address netip.Addr // the local address of the tunnels, IPv4
	// MaxSessions is how many sessions there is room for, and for how many streams
	// reordering is followed: 1..1048576, 0 for 65536.
	MaxSessions int
	// NoECN has outer headers leave with an ECN field of 0: RFC 6040's compatibility mode.
	NoECN bool
	// UEPools are the ranges of UE addresses, 1..16 of them: the UPF takes
	// what N6 sends there from the kernel.
	UEPools []netip.Prefix
	// Plan is what to do to packets.
	Plan Plan
	// Marks reads the load generator's marks; nil: the ledger has one account for
	// all packets.
	Marks Marks
}

const (
	defaultSessions = 1 << 16
	maxSessions     = 1 << 20
)

func (c Config) withDefaults() (Config, error) {
	if c.MaxSessions == 0 {
		c.MaxSessions = defaultSessions
	}
	if c.Marks == nil {
		c.Marks = noMarks{}
	}
	switch {
	case c.N3 == "" || c.N6 == "" || c.N3 == c.N6:
		return c, fmt.Errorf("calibrator: N3 is %q and N6 is %q: name two interfaces", c.N3, c.N6)
	case !c.N3Address.Is4():
		return c, fmt.Errorf("calibrator: N3 address %v is not IPv4: give one that is", c.N3Address)
	case c.MaxSessions < 1 || c.MaxSessions > maxSessions:
		return c, fmt.Errorf("calibrator: max sessions %d is not in 1..%d", c.MaxSessions, maxSessions)
	case len(c.UEPools) < 1 || len(c.UEPools) > suppress.MaxPools:
		return c, fmt.Errorf("calibrator: %d UE pools: give 1..%d, so that the kernel leaves the UEs' packets alone",
			len(c.UEPools), suppress.MaxPools)
	}
	return c, nil
}

// buffers is how many packets there is memory for: those that a plan holds back
// at the most that this datapath forwards.
func (p Plan) buffers() int {
	const (
		fastest = 400e3 // packets/s
		least   = 4096
		most    = 1 << 17
	)
	need := least
	for _, x := range []Parameters{p.Uplink, p.Downlink} {
		x = x.withDefaults()
		wait := x.Delay + 4*x.Jitter + x.Stall.For + 10*time.Millisecond
		need += int(wait.Seconds()*fastest) + x.Queue
	}
	return min(need, most)
}
