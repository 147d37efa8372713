package uegateway

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"
)

// Set gives UEs their tunnels, or new ones, as after a handover: which UE it is, the
// address says. The old downlink tunnel is no longer known.
func (g *Gateway) Set(ues ...UE) error {
	for _, u := range ues {
		i, known := g.find(u)
		if !known {
			return fmt.Errorf("%v is no UE of this gateway", u.Addresses())
		}
		was, now := g.cfg.UEs[i], g.ends(u)
		if err := g.put(now); err != nil {
			return fmt.Errorf("set the tunnels of UE %d: %w", i+1, err)
		}
		if old := keyOf(g.ends(was)); old != keyOf(now) {
			if err := g.prog.Downlink.Delete(old); err != nil {
				return fmt.Errorf("remove the old tunnel of UE %d: %w", i+1, err)
			}
		}
		g.cfg.UEs[i] = now
	}
	return nil
}

// find gives the place of a UE, by its addresses.
func (g *Gateway) find(u UE) (i int, known bool) {
	for _, key := range u.keys() {
		i, known = g.index[key]
	}
	return i, known
}

// ends fills in the site's addresses.
func (g *Gateway) ends(u UE) UE {
	if !u.GNB.IsValid() {
		u.GNB = g.n3.Addr
	}
	if !u.UPF.IsValid() {
		u.UPF = g.cfg.Site.Links().UPFN3.Addr
	}
	return u
}

func (g *Gateway) put(u UE) error {
	out := gatewayTunnel{Source: words(u.GNB), Peer: words(u.UPF), Teid: onWire(u.UplinkTEID), Qfi: u.QFI}
	in := gatewayUe{Address: words(u.Address)[0], Prefix: firstHalf(u.Address6), Port: uint32(g.gnb.Index), Qfi: u.QFI}
	copy(in.To[:], g.ue.MAC)
	if err := g.prog.Downlink.Update(keyOf(u), in, ebpf.UpdateAny); err != nil {
		return err
	}
	for _, from := range u.keys() {
		if err := g.prog.Uplink.Update(sourceKey(from), out, ebpf.UpdateAny); err != nil {
			return err
		}
	}
	return nil
}

// sourceKey is what packets from an address, or from one in the prefix of an IPv6 address, are found by.
func sourceKey(a netip.Addr) gatewayUeKey {
	version := uint32(6)
	if a.Is4() {
		version = 4
	}
	return gatewayUeKey{Address: firstHalf(a), Version: version}
}

// firstHalf gives the first 64 bits of an address as a program reads them from a packet, of IPv4 all and zeros.
func firstHalf(a netip.Addr) [2]uint32 {
	w := words(a)
	return [2]uint32{w[0], w[1]}
}

func keyOf(u UE) gatewayTunnelKey {
	return gatewayTunnelKey{Destination: words(u.GNB), Teid: onWire(u.DownlinkTEID)}
}

// words gives an address as a program reads it from a packet; IPv4 is in the first word.
func words(a netip.Addr) (w [4]uint32) {
	for i, b := 0, a.AsSlice(); i < len(b)/4; i++ {
		w[i] = binary.NativeEndian.Uint32(b[4*i:])
	}
	return w
}

// onWire gives a number as a program reads it from a packet.
func onWire(v uint32) uint32 {
	return binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, v))
}
