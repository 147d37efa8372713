// Package lab is behaviour.Lab on a site: a DUT that a driver starts, or one that runs
// elsewhere, with packet sockets at the tester's ends of N3 and N6.
package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/traffic/capture"
)

// Config is what a lab is made of.
type Config struct {
	bench.Config
	Streams bool // it sends from inside the kernel, too, where it can; else there are packet sockets alone
}

// Lab is a DUT that is up.
type Lab struct {
	*bench.Bench
	net      behaviour.Net
	ends     ends // the tester's
	streamer streamer
	// protection is that of N3; nil: there is none.
	protection *protection
}

var _ behaviour.Lab = (*Lab)(nil)

// Open brings the DUT up. On error nothing is left.
func Open(ctx context.Context, c Config) (*Lab, error) {
	l := &Lab{Bench: bench.New(c.Config)}
	l.streamer = streamer{bench: l.Bench, ends: &l.ends, net: &l.net, able: canStream(c)}
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Lab) open(ctx context.Context) error {
	if err := l.OpenSite(); err != nil {
		return err
	}
	l.ends.site = l.Site()
	l.streamer.reach()
	if err := l.ends.listen(); err != nil {
		return err
	}
	l.net = plan(l.Scenario, l.Owns(), l.ends.taken())
	if err := l.surround(); err != nil {
		return err
	}
	if err := l.ends.prove(&l.net, l.peer6()); err != nil {
		return err
	}
	if err := l.protect(); err != nil {
		return err
	}
	if err := l.Start(ctx); err != nil {
		return err
	}
	if !l.Endpoint.HasN4() {
		return fmt.Errorf("%s has no N4: there are no rules that it could be held to", l.Label)
	}
	return l.receive()
}

// receive readies the ports.
func (l *Lab) receive() error {
	l.streamer.pinned = false
	_, err := l.Site().PrepareReceive(site.Receive{NAPI: l.Endpoint.XDP != dut.NativeXDP, SinkNAPI: true})
	return err
}

// surround makes the second gNB, and keeps the kernel of the tester's ends from answering in place
// of gNBs and hosts. Of a UPF that runs elsewhere the interfaces are the user's: nothing is changed
// there, and the packet sockets answer ARP for the addresses that are not the kernel's.
func (l *Lab) surround() error {
	links := l.Site().Links()
	l.ends.n3.speakFor(l.net.NewGNBs...) // no kernel has them, so that the UPF has no neighbour entry of one
	if !l.Owns() {
		l.ends.n3.speakFor(l.net.GNB[1])
		l.ends.n6.speakFor(append(l.net.Hosts, l.net.DN[1])...)
		errs := []error{l.ends.sinkAt(links.GNB.NS, netip.AddrPortFrom(l.net.GNB[0], gtpu.Port)),
			l.ends.sinkAt(links.DNN6.NS, netip.AddrPortFrom(l.net.DN[0], behaviour.RemotePort))}
		if dn := l.net.Six.DN; dn.IsValid() {
			errs = append(errs, l.ends.sinkAt(links.DNN6.NS, netip.AddrPortFrom(dn, behaviour.RemotePort)))
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
	if l.Target.Info().OuterHeaders {
		if err := surround6(l.Site(), l.Scenario); err != nil {
			return err
		}
	}
	tunnels(&l.net, l.Site(), l.Scenario)
	return l.ends.sinkAt(links.GNB.NS, netip.AddrPortFrom(netip.IPv4Unspecified(), gtpu.Port))
}

// surroundGNB makes the second gNB the UPF's neighbour. The gNB's end of N3 has no address of IPv6, since its kernel
// would answer packets.
func (l *Lab) surroundGNB(gnb netip.Addr) error {
	if !gnb.IsValid() {
		return nil
	}
	links := l.Site().Links()
	if gnb.Is4() {
		if err := links.GNB.AddAddress(gnb); err != nil {
			return err
		}
	}
	return l.Site().Provide(site.Needs{Neighbours: neighbour(links, gnb)})
}

// Net implements behaviour.Lab: it gives the addresses of the lab.
func (l *Lab) Net() behaviour.Net { return l.net }

// peer6 is the host that UEs with IPv6 speak to; invalid: no UE has IPv6.
func (l *Lab) peer6() netip.Addr {
	if !l.Scenario.UE.Family.IPv6() {
		return netip.Addr{}
	}
	return l.net.Six.DN
}

// Dialect implements behaviour.Lab: it gives what the UPF insists on over N4.
func (l *Lab) Dialect() smf.Dialect { return l.Endpoint.Dialect }

// N3 implements behaviour.Lab: it gives the port of the gNB.
func (l *Lab) N3() behaviour.Port { return &l.ends.n3 }

// N6 implements behaviour.Lab: it gives the port of the data network.
func (l *Lab) N6() behaviour.Port { return &l.ends.n6 }

// DialN4 implements behaviour.Lab: it opens the SMF's socket.
func (l *Lab) DialN4() (net.PacketConn, net.Addr, error) {
	conn, err := l.Site().ListenN4(netip.AddrPortFrom(l.net.SMF, pfcp.Port))
	return conn, net.UDPAddrFromAddrPort(l.Endpoint.N4), err
}

// Alive implements behaviour.Lab: it returns the error that says how the UPF ended, nil while it runs.
func (l *Lab) Alive() error {
	if how, over := l.Over(); over {
		return fmt.Errorf("it has ended (%s); %s", how, lastWords(l.LogTail()))
	}
	return nil
}

// Restart implements behaviour.Lab: everything is made anew.
func (l *Lab) Restart(ctx context.Context) error {
	if !l.Owns() {
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
	c, links := capture.New(packets), l.Site().Links()
	hops := []capture.Hop{{Name: "N3", Port: links.GNB, Peer: -1}, {Name: "N6", Port: links.DNN6, Peer: -1}}
	if n4, found := hopOfN4(links, l.Endpoint.N4.Addr()); found {
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

// StartAgain starts a UPF that has ended, in the same place.
func (l *Lab) StartAgain(ctx context.Context) error {
	if err := l.Bench.StartAgain(ctx); err != nil {
		return err
	}
	return l.receive()
}

// Close takes everything down.
func (l *Lab) Close() error { return errors.Join(l.ends.close(), l.Bench.Close()) }
