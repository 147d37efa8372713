// Package site is where a UPF and the hosts around it are: the RAN, the data network
// and the SMF. An implementation of Site makes such a place (netns) or finds it
// (attached); everything that measures a UPF uses Site alone.
package site

import (
	"net"
	"net/netip"
	"os/exec"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
)

// Site is a place where a UPF is measured.
type Site interface {
	Spec() Spec
	Links() *Links

	// UPF is the network namespace of the UPF's programs, for the driver that starts
	// them; nil where OwnsUPF is false.
	UPF() *netdev.Namespace
	// OwnsUPF reports whether the run starts the UPF here: then it chooses its CPUs,
	// reads its CPU time, and ends it. Otherwise the UPF goes on after the run.
	OwnsUPF() bool
	// Provide gives the UPF what its driver needs. It goes with the site, also when
	// upflab is killed.
	Provide(Needs) error
	// Start starts a program where the UPF runs. The thread that starts it enters the
	// place and then calls prepare. The program is on the list of what the run owns
	// until it has ended.
	Start(cmd *exec.Cmd, prepare func() error) (*host.Child, error)
	// Claim is the list of what the run owns.
	Claim() *host.Claim

	// ListenN4 opens the SMF's socket for PFCP.
	ListenN4(at netip.AddrPort) (*net.UDPConn, error)
	// PrepareReceive readies the ports for the traffic engine. It returns the kernel's
	// threads that receive for the UPF.
	PrepareReceive(Receive) (threads []int, err error)
	// Usage reads CPU time, Memory what the processes hold, bytes.
	Usage(telemetry.Subject) (telemetry.Sample, error)
	Memory(pids []int) (uint64, error)
	// OpenDrops begins to count what the kernel loses around the UPF.
	OpenDrops() (Drops, error)

	// Close removes everything that was made.
	Close() error
}

// Drops counts packets that the kernel lost around a UPF.
type Drops interface {
	// Read gives the totals so far, by place.
	Read() ([]telemetry.Drop, error)
	Close() error
}

// Receive says how packets are to be received.
type Receive struct {
	// NAPI switches the NAPI contexts of the UPF's ports on, which an XDP program in
	// the driver does by itself.
	NAPI bool
	// SinkNAPI is the same for the tester's ports, where no XDP program receives.
	SinkNAPI bool
	UPF      []int // CPUs that receive for the UPF; nil: the sender's
	Sink     []int // CPUs that receive for the sink; nil: the sender's
}
