package externalran

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
)

// port is a UE's interface.
type port struct {
	address netip.Addr
	mtu     int
}

// port looks at an interface as it is now.
func (r *RAN) port(name string) (p port, err error) {
	if r.ue.Remote != nil {
		p, err = r.remotePort(name)
	} else {
		p, err = r.localPort(name)
	}
	if err != nil {
		return p, fmt.Errorf("the UE's interface %s: %w", name, err)
	}
	if !p.address.IsValid() {
		return p, fmt.Errorf("the UE's interface %s has no IPv4 address: is its PDU session established?", name)
	}
	return p, nil
}

func (r *RAN) localPort(name string) (p port, err error) {
	link, err := r.own.Netlink().LinkByName(name)
	if err != nil {
		return p, fmt.Errorf("%w: `ip link` shows those that are there; a RAN's are gone with its PDU session", err)
	}
	if link.Attrs().Flags&net.FlagUp == 0 {
		return p, errors.New("it is down")
	}
	p.mtu = link.Attrs().MTU
	list, err := r.own.Netlink().AddrList(link, netlink.FAMILY_V4)
	for _, a := range list {
		if got, ok := netip.AddrFromSlice(a.IP.To4()); ok && !got.IsLinkLocalUnicast() && !p.address.IsValid() {
			p.address = got
		}
	}
	return p, err
}

// loginWithin is how long a look at another machine may take.
const loginWithin = 15 * time.Second

func (r *RAN) remotePort(name string) (p port, err error) {
	program, err := r.ue.Start("ip", "-o", "-4", "address", "show", "dev", name, "up")
	if err != nil {
		return p, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), loginWithin)
	defer cancel()
	out, err := program.Wait(ctx)
	if err != nil {
		return p, fmt.Errorf("ask %s: %w (`ssh %s` has to log in without a password, and ip has to be there)",
			r.ue.Remote.Host, err, r.ue.Remote.Host)
	}
	if p.address, err = addressIn(string(out.Stdout)); err != nil {
		return p, err
	}
	if program, err = r.ue.Start("cat", "/sys/class/net/"+name+"/mtu"); err != nil {
		return p, err
	}
	if out, err = program.Wait(ctx); err != nil {
		return p, err
	}
	p.mtu, err = strconv.Atoi(strings.TrimSpace(string(out.Stdout)))
	return p, err
}

// addressIn finds the address in lines of `ip -o address`: "5: eth0 inet 10.0.0.2/24 ...".
func addressIn(text string) (netip.Addr, error) {
	fields := strings.Fields(text)
	for i, f := range fields {
		if f != "inet" || i+1 == len(fields) {
			continue
		}
		text, _, _ := strings.Cut(fields[i+1], "/")
		if address, err := netip.ParseAddr(text); err != nil || !address.IsLinkLocalUnicast() {
			return address, err
		}
	}
	return netip.Addr{}, nil
}
