package upf

import (
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/control"
	"github.com/upflab/upflab/upf/pfcp"
)

type sessionInfo = pfcp.Info

// describe is a session for a list.
func (u *UPF) describe(i sessionInfo) control.Session {
	r := i.Rules
	one := control.Session{
		SEID: control.SEID(i.SEID), CPSEID: control.SEID(i.CPSEID), Node: i.Node, Held: i.Held,
		UEs: []netip.Prefix{}, Tunnels: []control.Tunnel{}, PDRs: len(r.PDRs), FARs: len(r.FARs), QERs: len(r.QERs), URRs: len(r.URRs),
	}
	for k := range r.PDRs {
		p := &r.PDRs[k].PDI
		if p.UE.IsValid() {
			one.UEs = addNew(one.UEs, netip.PrefixFrom(p.UE, p.UE.BitLen()))
		}
		if p.UE6.IsValid() {
			one.UEs = addNew(one.UEs, p.UE6)
		}
		for _, f := range p.Framed {
			one.UEs = addNew(one.UEs, f)
		}
		if p.HasTEID {
			one.Tunnels = addNew(one.Tunnels, control.Tunnel{TEID: control.TEID(p.TEID), Address: u.cfg.N3.Address, Local: true})
		}
	}
	for k := range r.FARs {
		if o := r.FARs[k].Outer; o != nil && !o.Kind.OnN6() {
			one.Tunnels = addNew(one.Tunnels, control.Tunnel{TEID: control.TEID(o.TEID), Address: o.Peer})
		}
	}
	return one
}

func has[T comparable](list []T, one T) bool { return slices.Contains(list, one) }

func addNew[T comparable](list []T, one T) []T {
	if has(list, one) {
		return list
	}
	return append(list, one)
}

// detail is all that is known of a session.
func (u *UPF) detail(i sessionInfo) control.Detail {
	d := control.Detail{Session: u.describe(i), Peer: i.Peer, Rules: i.Rules, Usage: []control.Usage{}}
	for k := range i.Rules.URRs {
		id := i.Rules.URRs[k].ID
		if u.can.Measurer == nil {
			break
		}
		if n, err := u.can.Measurer.Usage(i.SEID, id); err == nil {
			d.Usage = append(d.Usage, control.Usage{URR: id, UplinkPackets: n.Uplink.Packets, UplinkOctets: n.Uplink.Octets,
				DownlinkPackets: n.Downlink.Packets, DownlinkOctets: n.Downlink.Octets})
		}
	}
	return d
}
