package uegateway

import (
	"errors"
	"fmt"
	"net"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/machine/netdev"
)

func (g *Gateway) load() error {
	spec, err := loadGateway()
	if err != nil {
		return err
	}
	var macs gatewayMacs
	copyMACs(&macs, g.cfg.Site.Links().UPFN3.MAC, g.n3.MAC)
	err = errors.Join(
		spec.Variables[gatewayVarN3Macs].Set(macs),
		spec.Variables[gatewayVarNextHop].Set(words(g.cfg.Site.Links().UPFN3.Addr)[0]),
		spec.Variables[gatewayVarN3Port].Set(uint32(g.n3.Index)),
		spec.Variables[gatewayVarN3Mtu].Set(uint32(g.cfg.Site.Spec().MTU)),
	)
	if err != nil {
		return err
	}
	room := uint32(2 * len(g.cfg.UEs)) // a UE may be known by two gNB addresses for a while
	spec.Maps[gatewayMapUplink].MaxEntries, spec.Maps[gatewayMapDownlink].MaxEntries = room, room
	if err := spec.LoadAndAssign(&g.prog, nil); err != nil {
		return fmt.Errorf("load the gNB's programs: %w: root is needed, or CAP_BPF and CAP_NET_ADMIN", err)
	}
	return nil
}

func copyMACs(m *gatewayMacs, to, from net.HardwareAddr) {
	copy(m.To[:], to)
	copy(m.From[:], from)
}

// attach puts the programs at the ingress of both ports of the gNB.
func (g *Gateway) attach() error {
	if err := g.classify(&g.gnb, g.prog.FromUe); err != nil {
		return err
	}
	return g.classify(&g.n3, g.prog.FromN3)
}

func (g *Gateway) classify(p *netdev.Port, program *ebpf.Program) error {
	detach, err := p.Classify("upflab-gnb", program.FD())
	if err == nil {
		g.undo = append(g.undo, detach)
	}
	return err
}
