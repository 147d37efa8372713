// Package dut is the cut between the lab and the UPFs it measures. A driver is
// mostly data: a configuration template, a command line, a PFCP dialect, and
// where its counters are. Each UPF has a folder; package drivers lists them.
package dut

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/spelling"
)

// Driver brings one kind of UPF up.
type Driver interface {
	Listed
	// Start renders the configuration and starts the UPF in the testbed. It
	// returns when the UPF runs; whether it answers, the N4 side finds out.
	Start(ctx context.Context, env Env) (*Instance, error)
}

// Listed is a line of `upflab dut list`: a UPF, or a way to run one.
type Listed interface {
	// Info describes it; it does no I/O.
	Info() Info
	// Installed gives the version found here, or an error that says where to get it.
	Installed() (version string, err error)
}

// Info is what is known of a UPF before it runs: what `upflab dut list` shows, and what upflab can
// ask its driver for.
type Info struct {
	Name  string
	Modes []string // the first is the default; none: the DUT has no modes, or CheckMode knows them
	// CheckMode refuses a mode with an error that names valid ones; the empty mode may be valid.
	// It is for a DUT whose modes cannot be listed; nil: Modes are all.
	CheckMode func(mode string) error
	// Choose gives the mode of a user who names none, where that depends on this machine, and what keeps
	// the modes before it from working; nil: the first of Modes.
	Choose func() (mode string, why error)
	// Doctor lists what settings of the machine and of the UPF bound its figures, as `upflab dut
	// doctor` shows them. It looks, and changes nothing; env.Site is nil, and env.Scenario that of
	// a default run. nil: nothing is known.
	Doctor func(env Env) []Finding
	// Defects are the known defects that touch this scenario, one line each, with the UPF as the
	// subject: "eUPF does not enforce an MBR above 1 Gbit/s". nil: none is known.
	Defects func(mode string, s *scenario.Scenario) []string
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
	// IPv6UEs is true when it forwards for UEs with IPv6, whose sessions the driver configures it for.
	// NoIPv6UEs is why it is false, as a sentence about the UPF; "": it has not been tried.
	IPv6UEs   bool
	NoIPv6UEs string
	// IPv6Transport is true when the driver configures it for an N3 and an N4 of IPv6. NoIPv6Transport is why it
	// is false, as a sentence about the UPF; "": upflab does not configure it for that.
	IPv6Transport   bool
	NoIPv6Transport string
	// N3Sockets are the modes in which its N3 is a UDP socket of the kernel, which is where the kernel's IPsec is; a UPF
	// without modes has one that is "".
	N3Sockets []string
	// Several is true when it is several programs, each a container of its own: the driver
	// finds them by name in Env.Image, and in its ForControl.
	Several bool
	// Published is an image that has it, where one is published.
	Published Published
	// Page is the document with the commands that install it: "docs/duts/x.md#install".
	Page string
	// External DUTs need no testbed of ours.
	External bool
	// Dialect is how it speaks PFCP, as smf.Lookup knows it; "": standard. ModeDialects are those of
	// the modes that have another.
	Dialect      string
	ModeDialects map[string]string
	// MaxSessions is the most that it can be configured for; 0: no bound is known.
	MaxSessions int
}

// ModeOf gives the mode that a user means by a name: the first where the name is empty. The error
// names the modes that there are.
func (i Info) ModeOf(name string) (string, error) {
	if i.CheckMode != nil {
		return name, i.CheckMode(name)
	}
	if name == "" && len(i.Modes) > 0 {
		return i.Modes[0], nil
	}
	if name == "" || slices.Contains(i.Modes, name) {
		return name, nil
	}
	there := "none"
	if len(i.Modes) > 0 {
		there = strings.Join(i.Modes, ", ")
	}
	return "", fmt.Errorf("%s has no mode %q%s; it has: %s", i.Name, name, spelling.DidYouMean(name, i.Modes), there)
}

// DialectOf gives how the UPF speaks PFCP in a mode, as smf.Lookup knows it.
func (i Info) DialectOf(mode string) string {
	return cmp.Or(i.ModeDialects[mode], i.Dialect, "standard")
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
