package killmatrix

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// marker is an argument of the program that a victim starts.
const marker = "86399.271828"

// victim does what a run does to the machine, from the claim to its end, and undoes
// it: what is interrupted from outside is every step of that.
type victim struct {
	claim *host.Claim
	site  *netns.Testbed
	cmd   *exec.Cmd
	child *host.Child // of cmd
}

// runVictim is the life of a victim process.
func runVictim(dir, run string) error {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM, unix.SIGHUP) // as in package cli
	defer stop()
	v := &victim{}
	var err error
	for _, step := range []func() error{
		func() (err error) { v.claim, err = host.NewClaimIn(dir, run); return err },
		func() error { return v.claim.GoFirst() },
		func() error { return v.claim.NeverThrottle() },
		v.build, v.provide, v.start, v.receive,
	} {
		if err = step(); err == nil {
			err = ctx.Err()
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, v.close())
}

func (v *victim) build() (err error) {
	a := netip.MustParseAddr
	v.site, err = netns.Build(v.claim, site.Spec{Run: v.claim.Run, MTU: 1600, UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
		N3: site.LinkSpec{Tester: a("192.0.2.2"), UPF: a("192.0.2.1"), Prefix: 24, Kind: site.Physical, Device: "p0", TesterDevice: "p1"},
		N4: site.LinkSpec{Tester: a("203.0.113.2"), UPF: a("203.0.113.1"), Prefix: 24},
		N6: site.LinkSpec{Tester: a("198.51.100.2"), UPF: a("198.51.100.1"), Prefix: 24, Kind: site.Bridge}})
	return err
}

func (v *victim) provide() error {
	needs := site.Needs{Sysctls: map[string]string{"ipv4/conf/all/arp_ignore": "1"}, SilentN4: true,
		Tuns: []netdev.Tun{{Name: "ogstun", Address: netip.MustParsePrefix("10.46.0.1/16")}}}
	if _, err := os.Stat("/proc/sys/vm/nr_hugepages"); err == nil {
		needs.HugePages = 2
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		needs.Tuns = nil
	}
	return v.site.Provide(needs)
}

func (v *victim) start() error {
	cmd := exec.Command("/bin/sh", "-c", `trap "" TERM; setsid setsid sleep "$0" & exec sleep "$0"`, marker) // it detaches another one
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL, Setsid: true}
	var err error
	v.child, err = v.site.Start(cmd, netdev.PrivateMounts)
	v.cmd = cmd
	return err
}

func (v *victim) receive() error {
	_, err := v.site.PrepareReceive(site.Receive{NAPI: true, UPF: []int{0}})
	return err
}

func (v *victim) close() error {
	var errs []error
	if v.child != nil {
		v.cmd.Process.Kill()
		errs = append(errs, v.child.Left())
	}
	if v.site != nil {
		errs = append(errs, v.site.Close())
	}
	if v.claim != nil {
		errs = append(errs, v.claim.Close())
	}
	return errors.Join(errs...)
}

// runClean is what `upflab clean` does.
func runClean(dir string) error {
	removed, err := host.CleanStaleIn(dir)
	for _, what := range removed {
		fmt.Println("removed", what)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); err == nil && len(left) > 0 {
		err = fmt.Errorf("left in the folder of lists: %v", left)
	}
	return err
}
