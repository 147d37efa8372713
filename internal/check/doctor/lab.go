package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/cilium/ebpf/link"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/machine/host"
)

// lab is a testbed to try things on, and the program that was attached there.
type lab struct {
	claim   *host.Claim
	testbed site.Site
	xdp     link.Link
}

// open builds the testbed.
func (l *lab) open() (err error) {
	run := host.NewRunID()
	if l.claim, err = host.NewClaim(run); err != nil {
		return err
	}
	a := netip.MustParseAddr
	t, err := netns.Build(l.claim, site.Spec{
		Run: run, MTU: 1600, UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
		N3: site.LinkSpec{Tester: a("192.168.13.131"), UPF: a("192.168.13.151"), Prefix: 24},
		N4: site.LinkSpec{Tester: a("192.168.14.111"), UPF: a("192.168.14.151"), Prefix: 24},
		N6: site.LinkSpec{Tester: a("192.168.16.152"), UPF: a("192.168.16.151"), Prefix: 24},
	})
	if err == nil {
		l.testbed = t
	}
	return err
}

// attach puts a program that passes everything on the UPF's N3.
func (l *lab) attach() error {
	p, err := minimal(xdpPass)
	if err != nil {
		return err
	}
	defer p.Close() // the link keeps it
	return l.testbed.UPF().Do(func() error {
		l.xdp, err = link.AttachXDP(link.XDPOptions{Program: p, Interface: l.testbed.Links().UPFN3.Index, Flags: link.XDPDriverMode})
		return err
	})
}

// close removes what was opened.
func (l *lab) close() error {
	var errs []error
	if l.xdp != nil {
		errs = append(errs, l.xdp.Close())
	}
	if l.testbed != nil {
		errs = append(errs, l.testbed.Close())
	}
	if l.claim != nil {
		errs = append(errs, l.claim.Close())
	}
	*l = lab{}
	return errors.Join(errs...)
}

func namespaces(_ context.Context, e *exam) Finding {
	const name = "namespaces"
	if e.uid != 0 {
		return untried(name)
	}
	start := time.Now()
	if err := e.lab.open(); err != nil {
		return failed(name, err, "run as root on a kernel with CONFIG_NET_NS and CONFIG_VETH; in a container with --privileged")
	}
	return Finding{Name: name, State: OK, Detail: fmt.Sprintf("four, with three veth links, built in %.2f s", time.Since(start).Seconds())}
}

// untriedLab is the finding of a check that needs the testbed there is not.
func (e *exam) untriedLab(name string) (Finding, bool) {
	switch {
	case e.uid != 0:
		return untried(name), true
	case e.lab.testbed == nil:
		return Finding{Name: name, State: Untried, Detail: "there is no testbed to try it on", Fix: "see namespaces"}, true
	}
	return Finding{}, false
}

func vethXDP(_ context.Context, e *exam) Finding {
	const name = "native XDP on veth"
	if f, untried := e.untriedLab(name); untried {
		return f
	}
	if err := e.lab.attach(); err != nil {
		return failed(name, fmt.Errorf("attach a program to a veth: %w", err), "boot Linux 6.1 or later with CONFIG_VETH")
	}
	return Finding{Name: name, State: OK, Detail: "a program attaches in driver mode"}
}

// threadedNAPI gives a port with a program its own NAPI threads, and looks
// for them. They keep the DUT off the generator's CPU.
func threadedNAPI(_ context.Context, e *exam) Finding {
	const name, fix = "threaded NAPI", "boot Linux 5.12 or later and let upflab mount sysfs, or put all on one CPU: --set cpu.placement=shared"
	if f, untried := e.untriedLab(name); untried {
		return f
	}
	if e.unplaced != nil || e.lab.xdp == nil {
		return Finding{Name: name, State: Untried, Detail: "there is no port to try it on", Fix: "see namespaces and native XDP above"}
	}
	pids, err := host.PinNAPI(&e.lab.testbed.Links().UPFN3, e.placement.DUT, true)
	if err == nil && len(pids) == 0 {
		err = errors.New("it is switched on, but no thread is there")
	}
	if err != nil {
		return failed(name, err, fix)
	}
	return Finding{Name: name, State: OK, Detail: "a port's thread is pinned to CPU " + join(e.placement.DUT)}
}
