// Package dut is the cut between the lab and the UPFs it measures. A driver is
// mostly data: a configuration template, a command line, a PFCP dialect, and
// where its counters are. Each UPF has a folder; package drivers lists them.
package dut

import (
	"context"
	"net/netip"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/smf"
)

// Driver brings one kind of UPF up.
type Driver interface {
	// Info describes the UPF; it does no I/O.
	Info() Info
	// Installed gives the version found here, or an error that says where to get
	// the UPF.
	Installed() (version string, err error)
	// Start renders the configuration and starts the UPF in the testbed. It
	// returns when the UPF runs; whether it answers, the N4 side finds out.
	Start(ctx context.Context, env Env) (Instance, error)
}

// FreeModes is a Driver whose modes cannot be listed: it accepts any mode that CheckMode
// accepts, perhaps the empty one.
type FreeModes interface {
	Driver
	// CheckMode refuses a mode with an error that names valid ones.
	CheckMode(mode string) error
}

// Info is what a user reads in `upflab dut list`.
type Info struct {
	Name    string
	Modes   []string // the first is the default; none: the DUT has no modes
	Summary string
	Docs    string // where its own project says how to install it
	// Verified says what of it was run for real, and with which version.
	Verified string
	// Oldest is the oldest version that was run, as "v2.8.0"; "" when versions cannot
	// be compared. With an older one the user is warned.
	Oldest string
	// Remarks are known behaviours of this UPF that a reader of its numbers
	// should know.
	Remarks []string
	// Contained is true when its program may run from an image: the driver starts what
	// Env.Find gives, and passes Env.Image on to its process.
	Contained bool
	// OuterHeaders is true when the driver configures it for IPv6 on N3, and for tunnels on N6,
	// where the site's ports have IPv6 addresses (netdev.Port.Addr6).
	OuterHeaders bool
	// Several is true when it is several programs, each a container of its own: the driver
	// finds them by name in Env.Image, and in its ForControl.
	Several bool
	// Published is an image that has it, where one is published.
	Published Published
	// Page is the document with the commands that install it: "docs/duts/x.md#install".
	Page string
	// External DUTs need no testbed of ours.
	External bool
	// Dialect is how it speaks PFCP, as smf.Lookup knows it; "": standard.
	Dialect string
	// MaxSessions is the most that it can be configured for; 0: no bound is known.
	MaxSessions int
}

// Env is what a driver gets to work with.
type Env struct {
	Mode     string
	Scenario *scenario.Scenario
	Site     site.Site
	CPUs     []int  // that the UPF may use
	Image    *Image // nil: the UPF is on this machine
	Dir      string // for rendered configuration and logs; kept with the result
	// Elsewhere is true when the configuration is for another machine: the program need
	// not be on this one.
	Elsewhere bool
}

// Endpoint is how to reach a running UPF.
type Endpoint struct {
	// N4 is where it listens for PFCP; invalid for a wire, which has no N4.
	N4      netip.AddrPort
	Dialect smf.Dialect
	// NativeXDP is true when the UPF has XDP programs in the drivers of N3 and
	// N6, which switches NAPI on there.
	NativeXDP bool
	// GenericXDP is true when it has XDP programs that the kernel runs outside the
	// drivers: they are part of its receive work, which then belongs to the UPF.
	GenericXDP bool
	// SendsXDP is true when it sends by AF_XDP and receives otherwise: classifiers and packet
	// sockets at its ports do not see what it sends.
	SendsXDP bool
	// Polls is true when the UPF never sleeps: how busy its CPU is says nothing.
	Polls bool
	// Unruled is true when there is no N4: the DUT forwards by what the scenario says.
	Unruled bool
	// Plain is true when N3 carries IP packets without GTP-U.
	Plain bool
	// Offloads is true when the DUT takes long segments and unfinished checksums, as
	// only the kernel's own forwarding without GTP-U does.
	Offloads bool
	// Wire is true when frames leave as they came. It has no N4 either.
	Wire bool
	// Bridge is true when a wire is an Ethernet bridge: frames go to the port where
	// they are to arrive, not to one of the UPF.
	Bridge bool
	// NoPSC is true when downlink G-PDUs carry no PDU session container.
	NoPSC bool
	// Remarks are what the UPF does differently in this testbed than its name suggests.
	Remarks []string
}

// HasN4 reports whether there are sessions to establish.
func (e Endpoint) HasN4() bool { return !e.Wire && !e.Unruled }

// XDP reports whether the UPF's data path is XDP, native or generic.
func (e Endpoint) XDP() bool { return e.NativeXDP || e.GenericXDP }

// Instance is a running UPF.
type Instance interface {
	Endpoint() Endpoint
	// PIDs are its processes, for CPU time and memory.
	PIDs() []int
	// Drops are its own totals of packets it dropped, by reason.
	Drops() ([]record.Count, error)
	// Accounts are what else it can be asked for.
	Accounts() Accounts
	// Exited is closed when it ended without Stop.
	Exited() <-chan struct{}
	// Status is how it ended, once it has: "exit status 1".
	Status() string
	// LogTail is the end of its log, for people.
	LogTail() string
	// Files are the rendered configuration and the log.
	Files() []string
	// Stop ends it and waits until it is gone.
	Stop() error
}
