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

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/capture"
	"github.com/upflab/upflab/internal/traffic/xdp"
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
	instance *dut.Instance
	net      behaviour.Net
	n3, n6   port
	passing  []func() error // detach the programs with which the tester's ends receive everything
	sinks    []*net.UDPConn // take what is sent to the gNBs and hosts
	threads  []int          // of the kernel, that receive for the UPF
	streams  bool           // it can send from inside the kernel, and that arrives
	pinned   bool           // their CPUs are those of streams
}

var _ behaviour.Lab = (*Lab)(nil)

// Open brings the DUT up. On error nothing is left.
func Open(ctx context.Context, c Config) (*Lab, error) {
	l := &Lab{cfg: c, streams: canStream(c)}
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Lab) open(ctx context.Context) (err error) {
	if l.site, err = bench.OpenSite(l.cfg.Claim, l.cfg.Target, l.cfg.Scenario, bench.Tester{}); err != nil {
		return err
	}
	if l.streams && !l.site.OwnsUPF() {
		links := l.site.Links()
		l.streams = xdp.Reaches(links.GNB, links.UPFN3.Addr) == nil && xdp.Reaches(links.DNN6, links.UPFN6.Addr) == nil
	}
	if err = l.listen(); err != nil {
		return err
	}
	l.net = plan(l.cfg.Scenario, l.site.OwnsUPF(), l.taken())
	if err = l.surround(); err != nil {
		return err
	}
	if err = l.prove(); err != nil {
		return err
	}
	l.instance, err = l.cfg.Target.Start(ctx, dut.Env{
		Scenario: l.cfg.Scenario, Site: l.site, CPUs: l.cfg.CPUs, Dir: l.cfg.Dir,
	})
	if err != nil {
		return err
	}
	if !l.instance.Endpoint.HasN4() {
		return fmt.Errorf("%s has no N4: there are no rules that it could be held to", l.cfg.Target.Label())
	}
	return l.receive()
}

// listen opens the packet sockets, at ends that receive whatever a UPF sends.
func (l *Lab) listen() error {
	links := l.site.Links()
	if _, err := l.site.PrepareReceive(site.Receive{SinkNAPI: true}); err != nil {
		return err
	}
	if err := l.passAll(); err != nil {
		return err
	}
	if err := l.n3.open(&links.GNB, &links.UPFN3); err != nil {
		return err
	}
	return l.n6.open(&links.DNN6, &links.UPFN6)
}

// passAll puts a program on the tester's ends and on those of bridges towards the UPF, where the
// UPF's own ports can have one: then its frames may come by XDP_TX.
func (l *Lab) passAll() error {
	links := l.site.Links()
	ends := []*netdev.Port{&links.GNB, &links.DNN6}
	for _, between := range []*site.Between{links.N3Between, links.N6Between} {
		if between != nil {
			ends = append(ends, &between.UPF)
		}
	}
	for _, p := range ends {
		detach, err := p.PassAll()
		switch {
		case err != nil && l.site.OwnsUPF() && !site.NativeXDP(l.site):
			return nil // nor can a UPF have one here
		case errors.Is(err, unix.ERANGE):
			return nil // frames are too long for XDP at either end
		case err != nil:
			return fmt.Errorf("%w: without one %s does not receive what a UPF sends by XDP_TX", err, p.Name)
		case detach != nil:
			l.passing = append(l.passing, detach)
		}
	}
	return nil
}

// passNone takes the programs away.
func (l *Lab) passNone() (err error) {
	for _, detach := range l.passing {
		err = errors.Join(err, detach())
	}
	l.passing = nil
	return err
}

// receive readies the ports.
func (l *Lab) receive() error {
	l.pinned = false
	_, err := l.site.PrepareReceive(site.Receive{NAPI: l.instance.Endpoint.XDP != dut.NativeXDP, SinkNAPI: true})
	return err
}

// surround makes the second gNB, and keeps the kernel of the tester's ends from answering in place
// of gNBs and hosts. Of a UPF that runs elsewhere the interfaces are the user's: nothing is changed
// there, and the packet sockets answer ARP for the addresses that are not the kernel's.
func (l *Lab) surround() error {
	links := l.site.Links()
	l.n3.speakFor(l.net.NewGNBs...) // no kernel has them, so that the UPF has no neighbour entry of one
	if !l.site.OwnsUPF() {
		l.n3.speakFor(l.net.GNB[1])
		l.n6.speakFor(append(l.net.Hosts, l.net.DN[1])...)
		errs := []error{l.sinkAt(links.GNB.NS, netip.AddrPortFrom(l.net.GNB[0], gtpu.Port)),
			l.sinkAt(links.DNN6.NS, netip.AddrPortFrom(l.net.DN[0], behaviour.RemotePort))}
		if dn := l.net.Six.DN; dn.IsValid() {
			errs = append(errs, l.sinkAt(links.DNN6.NS, netip.AddrPortFrom(dn, behaviour.RemotePort)))
		}
		return errors.Join(errs...)
	}
	for _, ns := range []interface{ Sysctl(key, value string) error }{links.GNB.NS, links.DNN6.NS} {
		if err := ns.Sysctl("ipv4/ip_forward", "0"); err != nil {
			return err
		}
	}
	if err := l.surroundGNB(l.net.GNB[1]); err != nil {
		return err
	}
	if l.cfg.Target.Info().OuterHeaders {
		if err := surround6(l.site, l.cfg.Scenario); err != nil {
			return err
		}
	}
	tunnels(&l.net, l.site, l.cfg.Scenario)
	return l.sinkAt(links.GNB.NS, netip.AddrPortFrom(netip.IPv4Unspecified(), gtpu.Port))
}

// surroundGNB makes the second gNB the UPF's neighbour. The gNB's end of N3 has no address of IPv6, since its kernel
// would answer packets.
func (l *Lab) surroundGNB(gnb netip.Addr) error {
	if !gnb.IsValid() {
		return nil
	}
	links := l.site.Links()
	if gnb.Is4() {
		if err := links.GNB.AddAddress(gnb); err != nil {
			return err
		}
	}
	return l.site.Provide(site.Needs{Neighbours: neighbour(links, gnb)})
}

// sinkAt has the kernel take what is sent to an address, in place of an answer that the port is
// closed: a UPF that hears such an answer may rightly stop sending. If the port is taken, its owner
// receives it.
func (l *Lab) sinkAt(ns *netdev.Namespace, at netip.AddrPort) error {
	conn, err := ns.ListenUDP(at)
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		return nil
	case err != nil:
		return fmt.Errorf("the bench cannot take what a UPF sends to %s, so no case is run and nothing is held against the UPF: %w", at, err)
	}
	_ = conn.SetReadBuffer(1) // nothing is read: what is beyond the buffer is dropped
	l.sinks = append(l.sinks, conn)
	return nil
}

// Net implements behaviour.Lab: it gives the addresses of the lab.
func (l *Lab) Net() behaviour.Net { return l.net }

// Dialect implements behaviour.Lab: it gives what the UPF insists on over N4.
func (l *Lab) Dialect() smf.Dialect { return l.instance.Endpoint.Dialect }

// N3 implements behaviour.Lab: it gives the port of the gNB.
func (l *Lab) N3() behaviour.Port { return &l.n3 }

// N6 implements behaviour.Lab: it gives the port of the data network.
func (l *Lab) N6() behaviour.Port { return &l.n6 }

// DialN4 implements behaviour.Lab: it opens the SMF's socket.
func (l *Lab) DialN4() (net.PacketConn, net.Addr, error) {
	conn, err := l.site.ListenN4(netip.AddrPortFrom(l.net.SMF, pfcp.Port))
	return conn, net.UDPAddrFromAddrPort(l.instance.Endpoint.N4), err
}

// Alive implements behaviour.Lab: it returns the error that says how the UPF ended, nil while it runs.
func (l *Lab) Alive() error {
	select {
	case <-l.instance.Exited():
		return fmt.Errorf("it has ended (%s); %s", l.instance.Status(), lastWords(l.instance.LogTail()))
	default:
		return nil
	}
}

// Restart implements behaviour.Lab: everything is made anew.
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

// Capture implements behaviour.Lab: it copies the packets of N3, N4 and N6 until stop is called.
func (l *Lab) Capture() (func(path string, comment func(frame []byte) string) error, error) {
	return l.CaptureFirst(2000)
}

// CaptureFirst copies so many packets of each hop and direction, until stop writes them to a
// file, or drops them where path is empty. It ends before that where Restart makes the ports anew.
func (l *Lab) CaptureFirst(packets int) (stop func(path string, comment func(frame []byte) string) error, err error) {
	c, links := capture.New(packets), l.site.Links()
	hops := []capture.Hop{{Name: "N3", Port: links.GNB, Peer: -1}, {Name: "N6", Port: links.DNN6, Peer: -1}}
	if n4, found := hopOfN4(links, l.instance.Endpoint.N4.Addr()); found {
		hops = append(hops, n4)
	}
	for _, h := range hops {
		if err := c.Tap(h); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return func(path string, comment func([]byte) string) error {
		if path == "" {
			return c.Close()
		}
		c.Comment = comment
		return c.Write(path)
	}, nil
}

// hopOfN4 is the link of N4, or where that is none of ours, the one that leads to the UPF's: for PFCP alone, since others may
// use it, too. It is not found where the kernel chooses the way by more than the address, which is no reason not to run.
func hopOfN4(links *site.Links, upf netip.Addr) (h capture.Hop, found bool) {
	h = capture.Hop{Name: "N4", Port: links.SMFN4, Peer: -1}
	if h.Port.Readable() {
		return h, true
	}
	var err error
	h.UDP = pfcp.Port
	h.Port, err = links.GNB.NS.PortToward(upf)
	return h, err == nil
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

// closePorts closes what listens at the tester's ends.
func (l *Lab) closePorts() error {
	errs := []error{l.n3.close(), l.n6.close(), l.passNone()}
	for _, conn := range l.sinks {
		errs = append(errs, conn.Close())
	}
	l.sinks = nil
	return errors.Join(errs...)
}

// Close takes everything down.
func (l *Lab) Close() error {
	errs := []error{l.closePorts()}
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
