package datanet

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// flow is a UE's datagrams to one port of a host.
type flow struct{ ue, host netip.AddrPort }

// idle is how long a flow without datagrams lasts, and mostFlows how many there are at once.
const (
	idle      = time.Minute
	mostFlows = 4096
)

func (u *uplink) receiveAll(ctx context.Context) {
	b, oob := make([]byte, 65536), make([]byte, 512)
	for {
		n, on, _, ue, err := u.udp.ReadMsgUDPAddrPort(b, oob)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		if host, ok := destination(oob[:on]); ok {
			u.forward(ctx, flow{ue, host}, b[:n])
		}
	}
}

// destination is where a datagram was going.
func destination(oob []byte) (netip.AddrPort, bool) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return netip.AddrPort{}, false
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_IP && m.Header.Type == unix.IP_ORIGDSTADDR && len(m.Data) >= 8 {
			return netip.AddrPortFrom(netip.AddrFrom4([4]byte(m.Data[4:8])), binary.BigEndian.Uint16(m.Data[2:])), true
		}
	}
	return netip.AddrPort{}, false
}

// forward sends a datagram of a UE on, and opens its flow if it is the first.
func (u *uplink) forward(ctx context.Context, f flow, datagram []byte) {
	u.mu.Lock()
	out, known := u.flows[f]
	full := len(u.flows) >= mostFlows
	u.mu.Unlock()
	if !known && !full {
		out = u.openFlow(ctx, f)
	}
	if out != nil {
		out.Write(datagram) // a datagram may be lost
	}
}

// openFlow makes the two sockets of a flow: one in the machine's namespace, and one that
// has the host's address in the data network's. The kernel prefers the latter, so later
// datagrams come there.
func (u *uplink) openFlow(ctx context.Context, f flow) *net.UDPConn {
	c, err := u.dial(ctx, "udp", f.host.String())
	if err != nil {
		return nil
	}
	out := c.(*net.UDPConn)
	var back *net.UDPConn
	err = u.ns.Do(func() error {
		as := net.Dialer{LocalAddr: net.UDPAddrFromAddrPort(f.host), Control: transparent}
		c, err := as.DialContext(ctx, "udp", f.ue.String())
		if err == nil {
			back = c.(*net.UDPConn)
		}
		return err
	})
	if err != nil {
		out.Close()
		return nil
	}
	if !u.keep(out) || !u.keep(back) {
		return nil
	}
	u.mu.Lock()
	u.flows[f] = out
	u.mu.Unlock()
	u.running.Go(func() { u.pump(f, out, back) })
	u.running.Go(func() { u.pump(f, back, out) })
	return out
}

// pump copies datagrams until none come any more, and ends the flow then.
func (u *uplink) pump(f flow, from, to *net.UDPConn) {
	b := make([]byte, 65536)
	for {
		from.SetReadDeadline(time.Now().Add(idle))
		n, err := from.Read(b)
		if err != nil && !errors.Is(err, unix.ECONNREFUSED) {
			break
		}
		to.Write(b[:n])
	}
	u.mu.Lock()
	delete(u.flows, f)
	u.mu.Unlock()
	u.drop(from)
	u.drop(to)
}
