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
	"slices"
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

// Config is what a data network is made of. Namespace and Addresses are needed.
type Config struct {
	Namespace *netdev.Namespace
	Addresses []netip.Addr // of its host, one of each IP that it has; servers listen on each
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
	iperf3  []*program.Program // one for each address; none: it is not there
	uplink  *uplink            // nil: none
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Open starts the servers.
func Open(c Config) (*Network, error) {
	ctx, cancel := context.WithCancel(context.Background())
	n := &Network{cfg: c, cancel: cancel, dns: newResolver(c.Addresses...)}
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

// Addresses are those of the data network's host.
func (n *Network) Addresses() []netip.Addr { return n.cfg.Addresses }

// Resolver is the address of its DNS server.
func (n *Network) Resolver() netip.Addr { return n.cfg.Addresses[0] }

// IPerf3 reports whether iperf3's server runs.
func (n *Network) IPerf3() bool { return len(n.iperf3) > 0 }

func (n *Network) openUplink(ctx context.Context) (err error) {
	if !n.cfg.Uplink {
		return nil
	}
	at := slices.IndexFunc(n.cfg.Addresses, netip.Addr.Is4)
	if at < 0 {
		return errors.New("the uplink leads IPv4 alone, and the UEs have none")
	}
	n.uplink, err = openUplink(ctx, n.cfg.Namespace, n.cfg.N6, n.cfg.Addresses[at],
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
	for _, p := range n.iperf3 {
		<-p.Exited()
	}
	n.running.Wait()
	return errors.Join(errs...)
}
