package uegateway_test

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut/decap"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// TestManyUEs: each of a thousand UEs gets the answer to its own question.
func TestManyUEs(t *testing.T) {
	const ues = 1000
	l := openLab(t, decap.Driver{}, "tc", ues, nil)
	dn := l.site.Links().DNN6.NS
	server := listen(t, dn, netip.AddrPortFrom(l.dn, 7))
	go echo(server)
	sockets := make([]*net.UDPConn, ues)
	err := l.gateway.Namespace().Do(func() (err error) {
		for i, u := range l.gateway.UEs() {
			if sockets[i], err = net.ListenUDP("udp", &net.UDPAddr{IP: u.Address.AsSlice(), Port: 7000}); err != nil {
				return err
			}
			t.Cleanup(func() { sockets[i].Close() })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const batch = 50 // the server's socket has room for some 200
	for first := 0; first < ues; first += batch {
		askAll(t, sockets, first, batch, netip.AddrPortFrom(l.dn, 7))
	}
	c, err := l.gateway.Counters()
	if err != nil {
		t.Fatal(err)
	}
	if c.UplinkPackets < ues || c.DownlinkPackets < ues || len(c.Dropped) > 0 || c.OtherQFI > 0 {
		t.Errorf("counted %+v", c)
	}
}

// askAll asks for some UEs until each has its answer.
func askAll(t *testing.T, sockets []*net.UDPConn, first, count int, server netip.AddrPort) {
	t.Helper()
	missing := map[int]bool{}
	for i := first; i < first+count; i++ {
		missing[i] = true
	}
	for try := 0; len(missing) > 0; try++ {
		if try == 20 {
			t.Fatalf("UEs without an answer: %v", missing)
		}
		for i := range missing {
			if _, err := sockets[i].WriteToUDPAddrPort(fmt.Appendf(nil, "UE %d", i), server); err != nil {
				t.Fatal(err)
			}
		}
		for i := range missing {
			if answered(t, sockets[i], i) {
				delete(missing, i)
			}
		}
	}
}

func listen(t *testing.T, ns *netdev.Namespace, at netip.AddrPort) *net.UDPConn {
	t.Helper()
	c, err := ns.ListenUDP(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func echo(c *net.UDPConn) {
	b := make([]byte, 100)
	for {
		n, from, err := c.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		c.WriteToUDPAddrPort(b[:n], from)
	}
}

// answered reports whether UE i has got its answer; another one's fails the test.
func answered(t *testing.T, c *net.UDPConn, i int) bool {
	t.Helper()
	b := make([]byte, 100)
	c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	n, _, err := c.ReadFromUDPAddrPort(b)
	if err != nil {
		return false
	}
	if want := fmt.Sprintf("UE %d", i); string(b[:n]) != want {
		t.Errorf("UE %d got %q", i, b[:n])
	}
	return true
}
