package oai

import (
	"context"
	"fmt"
	"math/bits"
	"net/netip"
	"os/exec"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// needs are the programs that the UPF starts by a shell.
func needs(mode string) []dut.Called {
	if mode == xdp {
		return []dut.Called{{"ip", "iproute2"}, {"awk", "mawk"}, {"sudo", "sudo"}, {"arping", "arping"}}
	}
	return []dut.Called{{"ip", "iproute2"}, {"ethtool", "ethtool"}}
}

// checkPrograms refuses to start the UPF where a program is missing that it starts, or is another one
// than its sources expect.
func checkPrograms(env dut.Env) error {
	err := env.Calls("OAI-CN5G-UPF", needs(env.Mode))
	if err != nil || env.Mode != xdp || env.Image != nil || env.Elsewhere {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	help, _ := exec.CommandContext(ctx, "arping", "--help").CombinedOutput() // its status differs between versions
	if !strings.Contains(string(help), "Thomas Habets") {
		return fmt.Errorf("OAI-CN5G-UPF reads what Thomas Habets's arping prints, and the arping here is another one: " +
			"install Debian's package arping in place of iputils-arping")
	}
	return nil
}

// checkNeighbours refuses addresses for which the UPF's XDP finds no MAC address. It takes a peer for a
// neighbour when the peer's address begins, read from its last octet, with as many one bits as its own does,
// and any other for one behind a router, whose address it then reads backwards. So with a last octet of its
// own below 128 nobody is a neighbour.
func checkNeighbours(s *scenario.Scenario) error {
	for _, gnb := range s.GNBs() {
		if err := checkNeighbour("n3.upf", s.N3.UPF, "n3.gnb", gnb); err != nil {
			return err
		}
	}
	return checkNeighbour("n6.upf", s.N6.UPF, "n6.dn", s.N6.DN)
}

func checkNeighbour(ownKey string, own netip.Addr, peerKey string, peer netip.Addr) error {
	if neighbours(own, peer) {
		return nil
	}
	return fmt.Errorf("OAI-CN5G-UPF's XDP finds no MAC address for %s %s from its %s %s: "+
		"use addresses of one subnet whose last octets are 128 to 191", peerKey, peer, ownKey, own)
}

// neighbours is the UPF's rule for who is in its subnet.
func neighbours(own, peer netip.Addr) bool {
	a, b := backwards(own), backwards(peer)
	ones := bits.LeadingZeros32(^a)
	if ones == 0 { // it shifts by 32, which leaves a mask of all bits on x86
		ones = 32
	}
	return a>>(32-ones) == b>>(32-ones)
}

// backwards is an IPv4 address as a number, its last octet first.
func backwards(a netip.Addr) uint32 {
	o := a.As4()
	return uint32(o[3])<<24 | uint32(o[2])<<16 | uint32(o[1])<<8 | uint32(o[0])
}
