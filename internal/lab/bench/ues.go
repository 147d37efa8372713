package bench

import (
	"context"
	"errors"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// UEs are the UEs of a DUT that is up: applications reach it by a gateway, which has the place of a traffic engine.
type UEs struct {
	*Up
	gateway *uegateway.Gateway
}

// OpenUEs brings a DUT up with its sessions, and the UE gateway. Of the gateway's configuration Claim, Site, Pool, UEs and
// Plain are filled in; Plain stays when it is set. On error what was opened is there, too; close it.
func OpenUEs(ctx context.Context, c Config, ues uegateway.Config, out *record.DUT) (*UEs, error) {
	u := &UEs{Up: NewUp(c)}
	return u, u.Open(ctx, out, Stage{"opening the UE gateway", func() error { return u.openGateway(ues) }})
}

func (u *UEs) openGateway(c uegateway.Config) (err error) {
	c.Claim, c.Site = u.Claim, u.site
	c.Pool, c.Pool6 = pools(u.Scenario)
	c.Plain = c.Plain || u.Endpoint.Kind == dut.Router
	c.Offload = u.Endpoint.Offloads
	c.UEs = nil
	for _, s := range u.SMF.sessions {
		address, address6 := s.UE, s.UE6
		if s.UE.Is6() {
			address, address6 = netip.Addr{}, s.UE
		}
		c.UEs = append(c.UEs, uegateway.UE{
			Address: address, Address6: address6, UplinkTEID: s.UplinkTEID, DownlinkTEID: s.DownlinkTEID, QFI: s.QFI, GNB: s.GNB, UPF: s.N3,
		})
	}
	if u.gateway, err = uegateway.Open(c); err != nil {
		return err
	}
	return errors.Join(u.PrepareReceive(u.receiveFromUEs()), u.setGRO())
}

// pools are the subnets of the families that UEs have; invalid: they do not have it.
func pools(s *scenario.Scenario) (pool, pool6 netip.Prefix) {
	if s.UE.Family.IPv4() {
		pool = s.UE.Pool
	}
	if s.UE.Family.IPv6() {
		pool6 = s.UE.Pool6
	}
	return pool, pool6
}

// receiveFromUEs gives a native XDP UPF its receive threads. The tester's ports need NAPI
// for what such a UPF sends. Other UPFs get what arrives as the kernel does it by
// itself, and GRO stays off at their ports: one that reads packet sockets could not cut
// merged segments.
func (u *UEs) receiveFromUEs() site.Receive {
	r := site.Receive{SinkNAPI: true}
	if u.Endpoint.XDP == dut.NativeXDP && u.PinsReceive() {
		r.UPF = u.ReceiveCPUs(u.Placement.Receivers()...)
	}
	return r
}

// Gateway is the UE gateway.
func (u *UEs) Gateway() *uegateway.Gateway { return u.gateway }

// Close takes everything down, in the reverse order.
func (u *UEs) Close() error {
	var err error
	if u.gateway != nil {
		err = u.gateway.Close()
	}
	return errors.Join(err, u.Up.Close())
}
