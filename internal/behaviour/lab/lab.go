// Package lab is behaviour.Lab on a site: a DUT that a driver starts, or one that runs
// elsewhere, with packet sockets at the tester's ends of N3 and N6.
package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/upflab/upflab/internal/behaviour"
	"github.com/upflab/upflab/internal/capture"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/smf"
	"github.com/upflab/upflab/internal/trial"
	"github.com/upflab/upflab/pfcp"
)

// Config is what a lab is made of.
type Config struct {
	Scenario *scenario.Scenario
	Claim    *host.Claim
	Target   dut.Target
	CPUs     []int  // that the UPF may use
	Dir      string // for its configuration and log
	// Placement is what streams need: the CPUs of sender, UPF and sink; nil: there are
	// packet sockets alone.
	Placement *record.Placement
}

// Lab is a DUT that is up.
type Lab struct {
	cfg      Config
	site     site.Site
	instance dut.Instance
	n3, n6   port
	sink     *net.UDPConn // takes what is sent to the gNBs
	threads  []int        // of the kernel, that receive for the UPF
	pinned   bool         // their CPUs are those of streams
}

var (
	_ behaviour.Lab      = (*Lab)(nil)
	_ behaviour.Measured = (*Lab)(nil)
	_ behaviour.Strange  = (*Lab)(nil)
)

// Open brings the DUT up. On error nothing is left.
func Open(ctx context.Context, c Config) (*Lab, error) {
	l := &Lab{cfg: c}
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Lab) open(ctx context.Context) (err error) {
	if l.cfg.Scenario.TRex != nil {
		return errors.New("behaviour tests send their own packets: leave engine: trex and the section trex out")
	}
	if l.site, err = trial.OpenSite(l.cfg.Claim, l.cfg.Target, l.cfg.Scenario, trial.Tester{}); err != nil {
		return err
	}
	if err = l.surround(); err != nil {
		return err
	}
	l.instance, err = l.cfg.Target.Driver.Start(ctx, dut.Env{
		Mode: l.cfg.Target.Mode, Scenario: l.cfg.Scenario, Site: l.site, CPUs: l.cfg.CPUs, Dir: l.cfg.Dir,
	})
	if err != nil {
		return err
	}
	if !l.instance.Endpoint().HasN4() {
		return fmt.Errorf("%s has no N4: there are no rules that it could be held to", l.cfg.Target.Label())
	}
	if err = l.receive(); err != nil {
		return err
	}
	links := l.site.Links()
	if err = l.n3.open(&links.GNB, &links.UPFN3); err != nil {
		return err
	}
	return l.n6.open(&links.DNN6, &links.UPFN6)
}

// receive readies the ports.
func (l *Lab) receive() error {
	l.pinned = false
	_, err := l.site.PrepareReceive(site.Receive{NAPI: !l.instance.Endpoint().NativeXDP, SinkNAPI: true})
	return err
}

// surround makes the second gNB, and keeps the kernel of the tester's ends from
// answering in place of gNBs and hosts.
func (l *Lab) surround() (err error) {
	if !l.site.OwnsUPF() {
		return nil
	}
	links, net := l.site.Links(), l.Net()
	if err := links.GNB.AddAddress(net.GNB[1]); err != nil {
		return err
	}
	for _, ns := range []interface{ Sysctl(key, value string) error }{links.GNB.NS, links.DNN6.NS} {
		if err := ns.Sysctl("ipv4/ip_forward", "0"); err != nil {
			return err
		}
	}
	if err := l.site.Provide(site.Needs{Neighbours: neighbour(links, net.GNB[1])}); err != nil {
		return err
	}
	if l.cfg.Target.Driver.Info().OuterHeaders {
		if err := surround6(l.site); err != nil {
			return err
		}
	}
	if l.sink, err = links.GNB.NS.ListenUDP(netip.AddrPortFrom(netip.IPv4Unspecified(), 2152)); err != nil {
		return err
	}
	return l.sink.SetReadBuffer(1)
}

// Net is behaviour.Lab's.
func (l *Lab) Net() behaviour.Net {
	s := l.cfg.Scenario
	n := behaviour.Net{
		SMF: s.N4.SMF, UPFN4: s.N4.UPF, UPF: s.N3.UPF, GNB: [2]netip.Addr{s.N3.GNB, s.N3.GNB.Next()},
		// Behind the data network's router: its kernel answers for neither.
		DN:   [2]netip.Addr{netip.MustParseAddr("198.18.0.10"), netip.MustParseAddr("198.18.0.20")},
		Pool: s.UE.Pool.Masked(), FirstUE: s.UE.First, MTU: s.MTU, Instance: s.N4.NetworkInstance,
	}
	if !l.site.OwnsUPF() { // where routes lead is not ours to say
		n.DN = [2]netip.Addr{s.N6.DN, s.N6.DN.Next()}
	}
	tunnels(&n, l.site)
	return n
}

// Dialect is behaviour.Lab's.
func (l *Lab) Dialect() smf.Dialect { return l.instance.Endpoint().Dialect }

// N3 is behaviour.Lab's.
func (l *Lab) N3() behaviour.Port { return &l.n3 }

// N6 is behaviour.Lab's.
func (l *Lab) N6() behaviour.Port { return &l.n6 }

// DialN4 is behaviour.Lab's.
func (l *Lab) DialN4() (net.PacketConn, net.Addr, error) {
	conn, err := l.site.ListenN4(netip.AddrPortFrom(l.cfg.Scenario.N4.SMF, pfcp.Port))
	return conn, net.UDPAddrFromAddrPort(l.instance.Endpoint().N4), err
}

// Alive is behaviour.Lab's.
func (l *Lab) Alive() error {
	select {
	case <-l.instance.Exited():
		return fmt.Errorf("it has ended (%s); %s", l.instance.Status(), lastWords(l.instance.LogTail()))
	default:
		return nil
	}
}

// Restart is behaviour.Lab's: everything is made anew.
func (l *Lab) Restart(ctx context.Context) error {
	if !l.site.OwnsUPF() {
		time.Sleep(time.Second) // whoever runs it may start it again
		return nil
	}
	if err := l.Close(); err != nil {
		return err
	}
	return l.open(ctx)
}

// Capture is behaviour.Lab's.
func (l *Lab) Capture() (func(path string) error, error) {
	const packets = 2000 // of each hop and direction
	c, links := capture.New(packets), l.site.Links()
	hops := []capture.Hop{{Name: "N3", Port: links.GNB, Peer: -1}, {Name: "N6", Port: links.DNN6, Peer: -1}}
	if links.SMFN4.Readable() {
		hops = append(hops, capture.Hop{Name: "N4", Port: links.SMFN4, Peer: -1})
	}
	for _, h := range hops {
		if err := c.Tap(h); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return func(path string) error {
		if path == "" {
			return c.Close()
		}
		return c.Write(path)
	}, nil
}

// Files are the DUT's configuration and log.
func (l *Lab) Files() []string { return l.instance.Files() }

// LogTail is the end of the DUT's log.
func (l *Lab) LogTail() string {
	if l.instance == nil {
		return ""
	}
	return l.instance.LogTail()
}

// Close takes everything down.
func (l *Lab) Close() error {
	errs := []error{l.n3.close(), l.n6.close()}
	if l.sink != nil {
		errs = append(errs, l.sink.Close())
		l.sink = nil
	}
	if l.instance != nil {
		if err := l.instance.Stop(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, err)
		}
	}
	if l.site != nil {
		errs = append(errs, l.site.Close())
		l.site = nil
	}
	return errors.Join(errs...)
}
