package uegateway

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
)

// Overhead is what an uplink packet grows by on N3, octets: IPv4 20, UDP 8, GTP-U 8 and
// 4, PDU session container 4.
const Overhead = 44

// What every host has to accept: of IPv4 (RFC 791 clause 3.1), and of IPv6 (RFC 8200 clause 5).
const (
	minMTU  = 576
	minMTU6 = 1280
)

// UE is one PDU session, as the gNB and the UE know it. It has an address of each IP that
// the session is of: one at least.
type UE struct {
	Address netip.Addr // IPv4; invalid: none
	// Address6 is the first of the UE's IPv6 addresses: all of its prefix of 64 bits are the
	// UE's (TS 23.501 clause 5.8.2.2). Invalid: none.
	Address6     netip.Addr
	UplinkTEID   uint32     // the UPF's
	DownlinkTEID uint32     // the gNB's
	QFI          uint8      // 1..63
	GNB          netip.Addr // the gNB's end of the tunnel; invalid: the site's N3 address
	UPF          netip.Addr // the UPF's end of the tunnel; invalid: the site's N3 address
}

// Addresses are those that the UE has: IPv4 first.
func (u UE) Addresses() (list []netip.Addr) {
	for _, a := range []netip.Addr{u.Address, u.Address6} {
		if a.IsValid() {
			list = append(list, a)
		}
	}
	return list
}

// prefix6 is the UE's IPv6 prefix; invalid: it has none.
func (u UE) prefix6() netip.Prefix { return netip.PrefixFrom(u.Address6, 64).Masked() }

// Config is what a gateway is made of. Claim, Site, a pool and UEs are needed.
type Config struct {
	Claim *host.Claim
	Site  site.Site
	// Pool holds all UEs' IPv4 addresses, Pool6 their IPv6 prefixes; all addresses in them are
	// local in the UEs' namespace. Invalid: UEs have none.
	Pool, Pool6 netip.Prefix
	UEs         []UE // the addresses differ, and so do the pairs of GNB and DownlinkTEID
	// Default is the UE whose address a program has that does not choose one: an index
	// into UEs.
	Default int
	// Plain makes no tunnels: the gNB's namespace routes the UEs' packets to N3 as they
	// are. It is for measuring what the same way costs without GTP-U.
	Plain bool
	// MTU of the UEs' interface, octets; 0: N3's less Overhead, which is right. A larger
	// one is refused unless Oversize is set: then packets that do not fit on N3 are
	// dropped and counted.
	MTU      int
	Oversize bool
	// Uncut is true when the UEs' kernel makes no segments longer than the MTU at all;
	// else it makes long ones and cuts them in software on the way out.
	Uncut bool
	// Offload leaves long segments and unfinished checksums as they are on all links, for
	// a Plain gateway: what segmentation offload is worth.
	Offload bool
}

// complete gives the configuration its defaults, or says what is wrong.
func (c Config) complete() (Config, error) {
	if len(c.UEs) == 0 {
		return c, fmt.Errorf("UE gateway: no UE")
	}
	if c.Default < 0 || c.Default >= len(c.UEs) {
		return c, fmt.Errorf("UE %d does not exist: there are UEs 1 to %d; set sessions to have more", c.Default+1, len(c.UEs))
	}
	if c.Offload && !c.Plain {
		return c, errors.New("UE gateway: with GTP-U segments have to be cut: Offload needs Plain")
	}
	var err error
	c.MTU, err = FitMTU(c.Site.Spec().MTU, c.MTU, c.Pool6.IsValid(), c.Oversize)
	return c, err
}

// FitMTU is the MTU of the UEs' interface, octets, for one of N3; asked is what is wanted,
// 0 the largest that fits. A larger one is an error that says what to set, unless
// oversize is true. six is true where UEs have IPv6, which needs more.
func FitMTU(n3, asked int, six, oversize bool) (int, error) {
	fits, ip, least := n3-Overhead, "IPv4", minMTU
	if six {
		ip, least = "IPv6", minMTU6
	}
	switch {
	case fits < least:
		return 0, fmt.Errorf("N3's MTU of %d leaves the UEs %d octets beside GTP-U's %d; %s needs %d: set mtu to %d or more",
			n3, fits, Overhead, ip, least, least+Overhead)
	case asked == 0:
		return fits, nil
	case asked < least:
		return 0, fmt.Errorf("the UEs' MTU of %d is too small: %s needs %d", asked, ip, least)
	case asked > fits && !oversize:
		return 0, fmt.Errorf("the UEs' MTU of %d does not fit on N3 with GTP-U's %d octets: set mtu to %d or more, or the UEs' MTU to %d",
			asked, Overhead, asked+Overhead, fits)
	}
	return asked, nil
}

// indexed checks the UEs and gives the place of each address, of IPv6 of the first in its prefix.
func (c Config) indexed() (map[netip.Addr]int, error) {
	at := make(map[netip.Addr]int, 2*len(c.UEs))
	for i, u := range c.UEs {
		if err := c.checkUE(i, u); err != nil {
			return nil, err
		}
		for _, a := range u.keys() {
			if other, taken := at[a]; taken {
				return nil, fmt.Errorf("UEs %d and %d both have the address %v", other+1, i+1, a)
			}
			at[a] = i
		}
	}
	return at, nil
}

// keys are what the UE is known by.
func (u UE) keys() (list []netip.Addr) {
	if u.Address.IsValid() {
		list = append(list, u.Address)
	}
	if p := u.prefix6(); p.IsValid() {
		list = append(list, p.Addr())
	}
	return list
}

func (c Config) checkUE(i int, u UE) error {
	switch {
	case u.Address.IsValid() && !u.Address.Is4():
		return fmt.Errorf("UE %d: %v is no IPv4 address: Address6 is for others", i+1, u.Address)
	case u.Address6.IsValid() && !u.Address6.Is6():
		return fmt.Errorf("UE %d: %v is no IPv6 address", i+1, u.Address6)
	case !u.Address.IsValid() && !u.Address6.IsValid():
		return fmt.Errorf("UE %d has no address", i+1)
	case u.Address.IsValid() && !c.Pool.Contains(u.Address):
		return fmt.Errorf("UE %d: its address %v is not in the pool %v", i+1, u.Address, c.Pool)
	case u.Address6.IsValid() && !c.Pool6.Contains(u.Address6):
		return fmt.Errorf("UE %d: its address %v is not in the pool %v", i+1, u.Address6, c.Pool6)
	case u.QFI < 1 || u.QFI > 63:
		return fmt.Errorf("UE %d: QFI %d is not in 1..63 (TS 23.501 clause 5.7.1)", i+1, u.QFI)
	}
	return nil
}
