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

// minMTU is what every IPv4 host has to accept (RFC 791 clause 3.1).
const minMTU = 576

// UE is one PDU session, as the gNB and the UE know it.
type UE struct {
	Address      netip.Addr // IPv4
	UplinkTEID   uint32     // the UPF's
	DownlinkTEID uint32     // the gNB's
	QFI          uint8      // 1..63
	GNB          netip.Addr // the gNB's end of the tunnel; invalid: the site's N3 address
	UPF          netip.Addr // the UPF's end of the tunnel; invalid: the site's N3 address
}

// Config is what a gateway is made of. Claim, Site, Pool and UEs are needed.
type Config struct {
	Claim *host.Claim
	Site  site.Site
	// Pool holds all UEs' addresses; all of them are local in the UEs' namespace.
	Pool netip.Prefix
	UEs  []UE // the addresses differ, and so do the pairs of GNB and DownlinkTEID
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
	c.MTU, err = FitMTU(c.Site.Spec().MTU, c.MTU, c.Oversize)
	return c, err
}

// FitMTU is the MTU of the UEs' interface, octets, for one of N3; asked is what is wanted,
// 0 the largest that fits. A larger one is an error that says what to set, unless
// oversize is true.
func FitMTU(n3, asked int, oversize bool) (int, error) {
	fits := n3 - Overhead
	switch {
	case fits < minMTU:
		return 0, fmt.Errorf("N3's MTU of %d leaves the UEs %d octets beside GTP-U's %d; IPv4 needs %d: set mtu to %d or more",
			n3, fits, Overhead, minMTU, minMTU+Overhead)
	case asked == 0:
		return fits, nil
	case asked < minMTU:
		return 0, fmt.Errorf("the UEs' MTU of %d is too small: IPv4 needs %d", asked, minMTU)
	case asked > fits && !oversize:
		return 0, fmt.Errorf("the UEs' MTU of %d does not fit on N3 with GTP-U's %d octets: set mtu to %d or more, or the UEs' MTU to %d",
			asked, Overhead, asked+Overhead, fits)
	}
	return asked, nil
}

// indexed checks the UEs and gives the place of each address.
func (c Config) indexed() (map[netip.Addr]int, error) {
	at := make(map[netip.Addr]int, len(c.UEs))
	for i, u := range c.UEs {
		if err := c.checkUE(i, u); err != nil {
			return nil, err
		}
		if other, taken := at[u.Address]; taken {
			return nil, fmt.Errorf("UEs %d and %d both have the address %v", other+1, i+1, u.Address)
		}
		at[u.Address] = i
	}
	return at, nil
}

func (c Config) checkUE(i int, u UE) error {
	switch {
	case !u.Address.Is4():
		return fmt.Errorf("UE %d: %v is no IPv4 address, and the gateway knows no other yet", i+1, u.Address)
	case !c.Pool.Contains(u.Address):
		return fmt.Errorf("UE %d: its address %v is not in the pool %v", i+1, u.Address, c.Pool)
	case u.QFI < 1 || u.QFI > 63:
		return fmt.Errorf("UE %d: QFI %d is not in 1..63 (TS 23.501 clause 5.7.1)", i+1, u.QFI)
	}
	return nil
}
