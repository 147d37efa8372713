package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/measure/uelab"
	"github.com/upflab/upflab/internal/scenario"
)

// ueFlags are the flags of `upflab ue`'s commands.
type ueFlags struct {
	dut   string
	ue    int
	sets  []string
	uncut bool
	out   bool
	allow []string
}

func newUE() *cobra.Command {
	c := &cobra.Command{Use: "ue", Short: "Put applications behind a UPF, as UEs", Args: cobra.NoArgs}
	c.AddCommand(newUEExec(), newUEUp())
	return c
}

func (f *ueFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.dut, "dut", "builtin", "DUT that the UEs are behind, `NAME[:MODE]` (see upflab dut list)")
	c.Flags().IntVar(&f.ue, "ue", 1, "`NUMBER` of the UE, from 1")
	c.Flags().StringArrayVar(&f.sets, "set", nil, "change a setting of the scenario, `KEY=VALUE`; may be repeated")
	c.Flags().BoolVar(&f.out, "uplink", false,
		"lead the UEs to the networks that this machine reaches: TCP and UDP, by a NAT in user space; not to "+
			"link-local, loopback and the machine's own addresses")
	c.Flags().StringSliceVar(&f.allow, "uplink-allow", nil,
		"with --uplink: lead the UEs to this `ADDRESS[/BITS]` all the same; may be repeated")
	c.Flags().BoolVar(&f.uncut, "no-gso", false, "let the UEs' kernel make no segments longer than the MTU")
}

// ueMTU of N3 and N6 leaves the UEs the usual 1500 octets.
const ueMTU = 1500 + uegateway.Overhead

// scenario is load-latency with an MTU that suits applications and as many UEs as are
// asked for, unless --set says otherwise.
func (f *ueFlags) scenario() (*scenario.Scenario, error) {
	if f.ue < 1 {
		return nil, exit.WrongConfig(fmt.Errorf("--ue %d: UEs are numbered from 1", f.ue))
	}
	sets := []string{fmt.Sprintf("mtu=%d", ueMTU), "payload=64"} // the payload of trials must not bound the MTU
	if !slices.ContainsFunc(f.sets, func(s string) bool { return strings.HasPrefix(s, "sessions=") }) {
		sets = append(sets, fmt.Sprintf("sessions=%d", f.ue))
	}
	s, err := scenario.Open("load-latency", append(sets, f.sets...), false)
	if err != nil {
		return nil, exit.WrongConfig(err)
	}
	if f.ue > s.Sessions {
		return nil, exit.WrongConfig(fmt.Errorf("--ue %d: with sessions=%d there are UEs 1 to %d", f.ue, s.Sessions, s.Sessions))
	}
	if _, err := uegateway.FitMTU(s.MTU, 0, s.UE.Family.IPv6(), false); err != nil {
		return nil, exit.WrongConfig(err)
	}
	if s.Transport.IPv6() {
		return nil, exit.WrongConfig(errors.New("transport is ipv6, but the gNB of applications at UEs has IPv4; set transport to ipv4"))
	}
	if f.out && !s.UE.Family.IPv4() {
		return nil, exit.WrongConfig(errors.New("--uplink leads IPv4 alone, and ue.family is ipv6; set ue.family to both"))
	}
	return s, nil
}

// target is the DUT. It refuses one that applications cannot be behind, or that does not take UEs of the family.
func (f *ueFlags) target(family scenario.Family) (dut.Target, error) {
	t, err := drivers.Find(f.dut, tool.Facts().Version)
	if err != nil {
		return t, err
	}
	if t.Name() == "wire" {
		return t, exit.WrongConfig(errors.New("--dut wire: a wire takes no GTP-U off, so nothing would come back; " +
			"decap does, and n6 does without GTP-U"))

	}
	if err := t.TakesUEs(family); err != nil {
		return t, exit.WrongConfig(err)
	}
	t.Version, err = t.Installed()
	return t, err
}

// allowed are the addresses of --uplink-allow.
func (f *ueFlags) allowed() (list []netip.Prefix, err error) {
	if len(f.allow) > 0 && !f.out {
		return nil, exit.WrongConfig(errors.New("--uplink-allow goes with --uplink"))
	}
	for _, text := range f.allow {
		if !strings.Contains(text, "/") {
			text += "/32"
		}
		p, err := netip.ParsePrefix(text)
		if err != nil || !p.Addr().Is4() {
			return nil, exit.WrongConfig(fmt.Errorf("--uplink-allow %s: give an IPv4 address, or a prefix such as 169.254.0.0/16", text))
		}
		list = append(list, p)
	}
	return list, nil
}

// open brings the DUT up with everything around it.
func (f *ueFlags) open(c *cobra.Command, ctx context.Context) (*uelab.Lab, error) {
	s, err := f.scenario()
	if err != nil {
		return nil, err
	}
	allow, err := f.allowed()
	if err != nil {
		return nil, err
	}
	if err := site.CheckKernelIPv6(s); err != nil {
		return nil, exit.WrongConfig(err)
	}
	t, err := f.target(s.UE.Family)
	if err != nil {
		return nil, err
	}
	if err := prepare.Machine(c.ErrOrStderr()); err != nil {
		return nil, err
	}
	p := newProgress(c.ErrOrStderr(), 0, false)
	l, err := uelab.Open(ctx, uelab.Config{
		Scenario: s, Target: t, Observer: p, Uplink: f.out, Allow: allow, Gateway: uegateway.Config{Default: f.ue - 1, Uncut: f.uncut},
	})
	p.redraw("")
	return l, err
}

// closeLab says what the gNB dropped, and takes everything down.
func closeLab(w io.Writer, l *uelab.Lab) error {
	if c, err := l.Gateway().Counters(); err == nil {
		for r := range uegateway.Reasons() {
			if n := c.Dropped[r]; n > 0 {
				fmt.Fprintf(w, "upflab: the gNB dropped %d packets: %s\n", n, r)
			}
		}
	}
	if err := l.Deployment.Alive(); err != nil {
		fmt.Fprintln(w, "upflab:", err)
	}
	return l.Close()
}
