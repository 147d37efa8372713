// Package datanet is the data network behind a UPF's N6, with servers for the
// applications of UEs: HTTP, DNS, and iperf3 where it is installed.
package datanet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/program"
)

// The ports of the servers.
const (
	HTTPPort  = 80
	DNSPort   = 53
	IPerfPort = 5201
)

// Domain is the name of the data network's host; others below it are in Names.
const Domain = "dn.test"

// Config is what a data network is made of. Namespace and Address are needed.
type Config struct {
	Namespace *netdev.Namespace
	Address   netip.Addr // of its host, IPv4
	// Claim starts iperf3's server, if it is installed; nil: it is not wanted.
	Claim *host.Claim
	// Uplink leads UEs to the networks that this machine reaches, but not to loopback, link-local
	// and the machine's own addresses outside of Allow. N6 is then the name of the data network's
	// device.
	Uplink bool
	Allow  []netip.Prefix
	N6     string
}

// Network is a data network with its servers. Close ends them.
type Network struct {
	cfg     Config
	http    *http.Server
	dns     *resolver
	iperf3  *program.Program // nil: none
	uplink  *uplink          // nil: none
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Open starts the servers.
func Open(c Config) (*Network, error) {
	ctx, cancel := context.WithCancel(context.Background())
	n := &Network{cfg: c, cancel: cancel, dns: newResolver(c.Address)}
	if c.Uplink {
		n.dns.more, _ = machineResolver() // without one there are only our names
	}
	for _, start := range []func(context.Context) error{n.serveHTTP, n.serveDNS, n.startIPerf3, n.openUplink} {
		if err := start(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("open the data network: %w", err), n.Close())
		}
	}
	return n, nil
}

// Address gives the IP address of the data network's host.
func (n *Network) Address() netip.Addr { return n.cfg.Address }

// IPerf3 reports whether iperf3's server runs.
func (n *Network) IPerf3() bool { return n.iperf3 != nil }

func (n *Network) openUplink(ctx context.Context) (err error) {
	if !n.cfg.Uplink {
		return nil
	}
	n.uplink, err = openUplink(ctx, n.cfg.Namespace, n.cfg.N6, n.cfg.Address,
		guard{dial: new(net.Dialer).DialContext, allow: n.cfg.Allow, own: net.InterfaceAddrs, route: routeKind}.connect)
	return err
}

// Names are what the DNS server has an address for.
func Names() []string {
	return []string{Domain, "http." + Domain, "iperf3." + Domain, "ns." + Domain}
}

// Close ends the servers.
func (n *Network) Close() error {
	n.cancel() // iperf3 and DNS
	var errs []error
	if n.http != nil {
		errs = append(errs, n.http.Close())
	}
	if n.uplink != nil {
		errs = append(errs, n.uplink.close())
	}
	errs = append(errs, n.dns.close())
	if n.iperf3 != nil {
		<-n.iperf3.Exited()
	}
	n.running.Wait()
	return errors.Join(errs...)
}
