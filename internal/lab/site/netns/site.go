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

// Spec is site.Site's.
func (t *Testbed) Spec() site.Spec { return t.spec }

// Links is site.Site's.
func (t *Testbed) Links() *site.Links { return &t.links }

// UPF is site.Site's.
func (t *Testbed) UPF() *netdev.Namespace { return t.upf }

// OwnsUPF is site.Site's.
func (t *Testbed) OwnsUPF() bool { return true }

// Claim is site.Site's.
func (t *Testbed) Claim() *host.Claim { return t.claim }

// Start is site.Site's.
func (t *Testbed) Start(cmd *exec.Cmd, prepare func() error) error {
	if err := t.upf.Enter(); err != nil {
		return err
	}
	return t.claim.StartProcess(cmd, prepare)
}

// Ended is site.Site's.
func (t *Testbed) Ended(pid int) error { return t.claim.DropProcess(pid) }

// ListenN4 is site.Site's.
func (t *Testbed) ListenN4(at netip.AddrPort) (*net.UDPConn, error) { return t.SMF.ListenUDP(at) }

// Usage is site.Site's.
func (t *Testbed) Usage(s telemetry.Subject) (telemetry.Sample, error) { return telemetry.Take(s) }

// Memory is site.Site's.
func (t *Testbed) Memory(pids []int) (uint64, error) { return telemetry.Memory(pids) }
