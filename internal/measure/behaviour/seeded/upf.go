package seeded

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/n4"
	"github.com/upflab/upflab/upf/session"
)

// UPF is a behaviour.Lab in this process.
type UPF struct {
	fault  Fault
	net    behaviour.Net
	server *n4.Server
	end    *n3.Endpoint
	dp     *faulty
	n4     net.PacketConn
	upfN4  net.Addr

	n3, n6  port
	mu      sync.Mutex
	packets [forward.Directions]int
	// parts are fragments of outer packets, which the kernel puts together for the UPF.
	parts   packet.Reassembly
	cancel  context.CancelFunc
	serving sync.WaitGroup
}

var _ behaviour.Lab = (*UPF)(nil)

// mtu of both links.
const mtu = 1600

// Start starts a UPF with a fault, the zero value for none. Its N4 is on addresses of
// 127.0.0.0/8 that nobody else uses: host numbers it.
func Start(f Fault, host uint16) (*UPF, error) {
	return StartAt(f, host, usual())
}

// usual are addresses for documentation (RFC 5737).
func usual() behaviour.Net {
	n := behaviour.Net{
		UPF: netip.MustParseAddr("192.0.2.3"),
		GNB: [2]netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")},
		DN:  [2]netip.Addr{netip.MustParseAddr("198.51.100.10"), netip.MustParseAddr("198.51.100.20")},
		UEs: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: netip.MustParseAddr("10.45.0.2")},
		MTU: mtu, Instance: "internet",
		UPFN6: netip.MustParseAddr("198.51.100.3"), N6Port: 4000,
		Six: behaviour.Net6{UPF: netip.MustParseAddr("2001:db8:3::3"), GNB: netip.MustParseAddr("2001:db8:3::1"),
			UPFN6: netip.MustParseAddr("2001:db8:6::3"), DN: netip.MustParseAddr("2001:db8:6::1")},
	}
	for last := byte(11); last < 19; last++ {
		n.NewGNBs = append(n.NewGNBs, netip.AddrFrom4([4]byte{192, 0, 2, last}))
	}
	for last := byte(21); last < 53; last++ {
		n.Hosts = append(n.Hosts, netip.AddrFrom4([4]byte{198, 51, 100, last}))
	}
	return n
}

// StartAt is Start with other addresses than the usual ones, but for N4.
func StartAt(f Fault, host uint16, net behaviour.Net) (*UPF, error) {
	at := func(last byte) netip.Addr {
		return netip.AddrFrom4([4]byte{127, byte(host>>8) | 0x40, byte(host), last})
	}
	net.SMF, net.UPFN4 = at(1), at(2)
	u := &UPF{fault: f, net: net}
	u.n3, u.n6 = port{u: u, uplink: true}, port{u: u}
	return u, u.start()
}

func (u *UPF) start() (err error) {
	u.dp = newFaulty(&u.fault, forward.New(forward.Config{
		N3Address: u.net.UPF, N3Address6: u.net.Six.UPF,
		N6:      datapath.N6Tunnels{Address: u.net.UPFN6, Address6: u.net.Six.UPFN6, Port: u.net.N6Port},
		UEPools: []netip.Prefix{u.net.UEs.Pool}, MaxSessions: 2000,
		Routers: [forward.Directions]forward.Router{everywhere{}, everywhere{}},
	}))
	u.server, err = n4.New(n4.Config{
		NodeID: u.net.UPFN4.String(), N4: u.net.UPFN4, N3: u.net.UPF, N36: u.net.Six.UPF, Datapath: u.dp, MaxSessions: 2000,
		Buffering: n4.BufferHold, EndMarker: u.endMarker,
		Forward: u.intoTunnel, SendICMP: u.sendICMP,
	})
	if err != nil {
		return err
	}
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(u.net.UPFN4, 8805)))
	if err != nil {
		return err
	}
	n4 := mutating{PacketConn: conn, fault: &u.fault}
	if at := u.fault.AnswersFrom; at != 0 {
		if n4.other, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(u.net.UPFN4, at))); err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	u.n4, u.upfN4 = n4, conn.LocalAddr()
	u.end = n3.New(&u.n3, n3.Config{Address: u.net.UPF, KnownTEID: u.server.HasTEID, TunnelGone: u.server.TunnelGone})
	ctx, cancel := context.WithCancel(context.Background())
	u.cancel = cancel
	u.n3.done = ctx.Done()
	u.serving.Go(func() { _ = u.server.Serve(ctx, u.n4) })
	u.serving.Go(func() { _ = u.end.Serve(ctx) })
	return nil
}

// intoTunnel sends what the server has for a UE: held packets, and ICMP errors.
func (u *UPF) intoTunnel(to forward.Tunnel, tpdu []byte) {
	if u.fault.Mute != nil && tpdu[0] == 0x45 && tpdu[9] == packet.ICMP && u.fault.Mute(true, tpdu[20]) {
		return
	}
	if u.fault.ICMP != nil && tpdu[0] == 0x45 && tpdu[9] == packet.ICMP {
		tpdu = append([]byte(nil), tpdu...)
		u.fault.ICMP(tpdu[20:])
	}
	u.end.Forward(to, tpdu)
}

// sendICMP sends an ICMP error to a host of the data network, as the kernel does.
func (u *UPF) sendICMP(to netip.Addr, message []byte) {
	if u.fault.Mute != nil && u.fault.Mute(false, message[0]) {
		return
	}
	ip := append(make([]byte, 20, 20+len(message)), message...)
	ip[0], ip[8], ip[9] = 0x45, 64, packet.ICMP
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	copy(ip[12:], u.net.UPFN6.AsSlice())
	copy(ip[16:], to.AsSlice())
	if u.fault.ICMP != nil {
		u.fault.ICMP(ip[20:])
	}
	checksum.SealIPv4(ip)
	u.leave(false, ip)
}

// dialStranger opens the second SMF's socket.
func (u *UPF) dialStranger() (net.PacketConn, netip.Addr, bool, error) {
	own := u.net.SMF.As4()
	own[3] = 3
	node := netip.AddrFrom4(own)
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(node, 8805)))
	return conn, node, true, err
}

// endMarker sends as many as the fault says.
func (u *UPF) endMarker(to session.OuterHeader) {
	n := 1
	if u.fault.EndMarkers != nil {
		n = u.fault.EndMarkers(n)
	}
	send := func() {
		for range n {
			u.end.EndMarker(to)
		}
	}
	if late := u.fault.MarkerAfter; late > 0 {
		time.AfterFunc(late, send)
		return
	}
	send()
}

// everywhere is a router to whom everything is one hop away.
type everywhere struct{}

func (everywhere) Route(netip.Addr, uint64) (forward.Hop, forward.Verdict) {
	return forward.Hop{MTU: mtu}, forward.Forward
}

// Net implements behaviour.Lab: it gives the addresses of the lab.
func (u *UPF) Net() behaviour.Net { return u.net }

// Dialect implements behaviour.Lab: it gives what the UPF insists on over N4.
func (u *UPF) Dialect() smf.Dialect { return smf.Standard() }

// N3 implements behaviour.Lab: it gives the port of the gNB.
func (u *UPF) N3() behaviour.Port { return &u.n3 }

// N6 implements behaviour.Lab: it gives the port of the data network.
func (u *UPF) N6() behaviour.Port { return &u.n6 }

// DialN4 implements behaviour.Lab: it opens the SMF's socket.
func (u *UPF) DialN4() (net.PacketConn, net.Addr, error) {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(u.net.SMF, 8805)))
	return conn, u.upfN4, err
}

// Alive implements behaviour.Lab: a UPF in memory does not end.
func (u *UPF) Alive() error { return nil }

// Restart implements behaviour.Lab: it fails, since a UPF in memory does not end.
func (u *UPF) Restart(context.Context) error { return errors.New("a UPF in memory does not end") }

// Capabilities implements behaviour.Lab: a UPF in memory has no machine.
func (u *UPF) Capabilities() behaviour.Capabilities {
	return behaviour.Capabilities{DialStranger: u.dialStranger, Holdings: u.holdings}
}

// holdings counts sessions, and what a fault gathers of each that was asked for.
func (u *UPF) holdings() (behaviour.Holdings, error) {
	c := u.server.Counters()
	h := behaviour.Holdings{"sessions": c.Sessions}
	if u.fault.Gathers {
		h["entries of a table"] = int(c.EstablishRequests)
	}
	return h, nil
}

// Capture implements behaviour.Lab: there are no links.
func (u *UPF) Capture() (func(string, func([]byte) string) error, error) {
	return func(string, func([]byte) string) error { return nil }, nil
}

// Close ends the UPF.
func (u *UPF) Close() error {
	u.cancel()
	u.serving.Wait()
	return u.n4.Close()
}

// now is the clock of the meters, ns.
func now() uint64 { return uint64(time.Since(began)) + 1 }

var began = time.Now()
