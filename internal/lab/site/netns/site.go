package netns

import (
	"net"
	"net/netip"
	"os/exec"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
)

// Spec implements site.Site: it gives what the site was asked for.
func (t *Testbed) Spec() site.Spec { return t.spec }

// Links implements site.Site: it gives the ports of the links.
func (t *Testbed) Links() *site.Links { return &t.links }

// UPF implements site.Site: it gives the network namespace of the UPF's programs.
func (t *Testbed) UPF() *netdev.Namespace { return t.upf }

// OwnsUPF implements site.Site: it reports whether the run starts the UPF here.
func (t *Testbed) OwnsUPF() bool { return true }

// Claim implements site.Site: it gives the list of what the run owns.
func (t *Testbed) Claim() *host.Claim { return t.claim }

// Start implements site.Site: it starts a program where the UPF runs and puts it on the list of what
// the run owns.
func (t *Testbed) Start(cmd *exec.Cmd, prepare func() error) (*host.Child, error) {
	return t.claim.Launch(cmd, func() error {
		if err := t.upf.Enter(); err != nil {
			return err
		}
		return prepare()
	})
}

// ListenN4 implements site.Site: it opens the SMF's socket for PFCP.
func (t *Testbed) ListenN4(at netip.AddrPort) (*net.UDPConn, error) { return t.SMF.ListenUDP(at) }

// Usage implements site.Site: it reads the CPU time of the subject.
func (t *Testbed) Usage(s telemetry.Subject) (telemetry.Sample, error) { return telemetry.Take(s) }

// Memory implements site.Site: it reads what the processes hold, in bytes.
func (t *Testbed) Memory(pids []int) (uint64, error) { return telemetry.Memory(pids) }
