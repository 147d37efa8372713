package netdev

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// RoutesOf are the routes of a device in all tables.
func (n *Namespace) RoutesOf(index, family int) ([]netlink.Route, error) {
	return n.nl.RouteListFiltered(family, &netlink.Route{LinkIndex: index, Table: unix.RT_TABLE_UNSPEC},
		netlink.RT_FILTER_OIF|netlink.RT_FILTER_TABLE)
}

// staticRoutes are the routes of a device that somebody set. The kernel makes its own
// ones and those of router advertisements again.
func (d Device) staticRoutes(index int) (list []netlink.Route, err error) {
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		routes, err := d.ns.RoutesOf(index, family)
		if err != nil {
			return nil, err
		}
		for _, r := range routes {
			if r.Protocol == unix.RTPROT_KERNEL || r.Protocol == unix.RTPROT_RA {
				continue
			}
			if len(r.MultiPath) > 0 || r.Encap != nil || r.Via != nil || r.NewDst != nil {
				return nil, fmt.Errorf("its route %s has next hops or an encapsulation that upflab could not "+
					"restore: remove it first, or name another device", r)
			}
			list = append(list, r)
		}
	}
	return list, nil
}

func (d Device) restoreRoute(index int, r netlink.Route) error {
	r.LinkIndex, r.ILinkIndex = index, 0
	r.Flags &= unix.RTNH_F_ONLINK | unix.RTNH_F_PERVASIVE
	err := d.ns.nl.RouteAdd(&r)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("route %s: %w", r, err)
	}
	return nil
}
