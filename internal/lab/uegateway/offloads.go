package uegateway

import (
	"errors"
	"fmt"
)

// setOffloads lets the UEs' kernel finish what it sends before the gNB sees it.
//
// The kernel's UDP tunnel segmentation copies what is between the UDP header and the
// inner packet to each segment, GTP-U's length with it, so segments are cut before
// they are encapsulated; and a UPF may be a program that sees the bytes as they are, so
// checksums are right before that, too. TCP still goes down the UE's stack in long
// segments, unless Uncut forbids it: the kernel cuts them at the interface. What the
// UEs receive is merged again (GRO) after the gNB has decapsulated it.
func (g *Gateway) setOffloads() error {
	if g.cfg.Offload {
		l := g.cfg.Site.Links()
		return errors.Join(g.ue.OffloadsOn(), g.gnb.OffloadsOn(), l.GNB.OffloadsOn(), l.DNN6.OffloadsOn())
	}
	ue := map[string]bool{
		"tx-checksum-ip-generic": false, "tx-tcp-segmentation": false, "tx-tcp6-segmentation": false, "tx-udp-segmentation": false,
		"tx-scatter-gather": !g.cfg.Uncut, "tx-generic-segmentation": !g.cfg.Uncut, "rx-gro": true,
	}
	return errors.Join(g.ue.SetFeatures(ue), g.gnb.SetFeatures(map[string]bool{"tx-scatter-gather": true}))
}

// Offloads says what happens to segments and checksums on the way, for a report.
func (g *Gateway) Offloads() string {
	if g.cfg.Offload {
		return fmt.Sprintf("UE interface: MTU %d; segments stay long and checksums unfinished on all links", g.cfg.MTU)
	}
	cut := "long TCP segments are cut to the MTU in software at the UE's interface, before GTP-U"
	if g.cfg.Uncut {
		cut = "the UE sends no segment longer than the MTU"
	}
	return fmt.Sprintf("UE interface: MTU %d, %s. Checksums are computed there in software, and received segments "+
		"are merged (GRO) behind the gNB", g.cfg.MTU, cut)
}
