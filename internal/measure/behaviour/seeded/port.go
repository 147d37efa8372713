package seeded

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// port is the tester's end of a link, and for the UPF's GTP-U endpoint the socket on N3.
type port struct {
	u      *UPF
	uplink bool
	taker  atomic.Pointer[func([]byte)]
	done   <-chan struct{}
}

const ethernet = 14

// On implements behaviour.Port: it has f called for each IP packet that arrives.
func (p *port) On(f func(ip []byte)) { p.taker.Store(&f) }

// Send implements behaviour.Port: the packet goes through the UPF at once.
func (p *port) Send(ip []byte) error {
	u, way := p.u, forward.Downlink
	if p.uplink {
		way = forward.Uplink
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.packets[way]++
	n := u.packets[way]
	if f := u.fault.Arriving; f != nil && !f(n, p.uplink, ip) {
		return nil
	}
	if p.uplink && u.fault.Elsewhere && ip[0]>>4 == 4 && netip.AddrFrom4([4]byte(ip[16:])) != u.net.UPF {
		return nil
	}
	if p.uplink {
		if ip, _ = u.parts.Add(ip); ip == nil {
			return nil
		}
	}
	frame := append(make([]byte, ethernet, ethernet+len(ip)), ip...)
	frame[12] = 8
	if ip[0]>>4 == 6 {
		frame[12], frame[13] = 0x86, 0xdd
	}
	out, forwarded, from := u.dp.decide(way, packet.Pad(frame))
	if !forwarded {
		u.stray(p.uplink, ip)
		return nil
	}
	list := [][]byte{out}
	if u.fault.Leaving != nil {
		list = u.fault.Leaving(n, p.uplink, out)
	}
	for _, b := range list {
		u.leave(from, b)
	}
	return nil
}

// leave hands a packet to the tester at the port that it leaves by.
func (u *UPF) leave(n3 bool, ip []byte) {
	p := &u.n6
	if n3 {
		p = &u.n3
	}
	if to := p.taker.Load(); to != nil {
		(*to)(append([]byte(nil), ip...))
	}
}

// stray hands GTP-U that is not forwarded to the endpoint that answers it.
func (u *UPF) stray(uplink bool, ip []byte) {
	if !uplink || u.fault.Silent || len(ip) < 36 || ip[0] != 0x45 || ip[9] != packet.UDP || binary.BigEndian.Uint16(ip[22:]) != gtpu.Port {
		return
	}
	u.end.Deliver(ip[28:], netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip[12:])), binary.BigEndian.Uint16(ip[20:])))
}

// WriteTo implements net.PacketConn: the endpoint sends GTP-U.
func (p *port) WriteTo(b []byte, to net.Addr) (int, error) {
	at := to.(*net.UDPAddr).AddrPort()
	if f := p.u.fault.Signal; f != nil {
		b = f(append([]byte(nil), b...))
	}
	o := packet.Outer{From: p.u.net.UPF, To: at.Addr().Unmap(), ToPort: at.Port()}
	if gtpu.MessageType(b[1]) == gtpu.EchoResponse {
		o.FromPort = p.u.fault.EchoesFrom
	}
	p.u.leave(true, o.Carry(b))
	return len(b), nil
}

// ReadFrom implements net.PacketConn: everything comes by Deliver.
func (p *port) ReadFrom([]byte) (int, net.Addr, error) {
	<-p.done
	return 0, nil, os.ErrDeadlineExceeded
}

// The rest of net.PacketConn.
func (p *port) Close() error                     { return nil }
func (p *port) LocalAddr() net.Addr              { return &net.UDPAddr{IP: p.u.net.UPF.AsSlice(), Port: gtpu.Port} }
func (p *port) SetDeadline(time.Time) error      { return nil }
func (p *port) SetReadDeadline(time.Time) error  { return nil }
func (p *port) SetWriteDeadline(time.Time) error { return nil }

// mutating is N4 with a fault.
type mutating struct {
	net.PacketConn
	fault *Fault
	other net.PacketConn // of another port; nil: there is none
}

// Close closes the sockets.
func (m mutating) Close() error {
	if m.other != nil {
		_ = m.other.Close()
	}
	return m.PacketConn.Close()
}

// sends sends a datagram: late, or from another port.
func (m mutating) sends(b []byte, to net.Addr) (int, error) {
	conn := m.PacketConn
	if m.other != nil {
		conn = m.other
	}
	if m.fault.Late != nil {
		if late := m.fault.Late(b); late > 0 {
			b = append([]byte(nil), b...)
			time.AfterFunc(late, func() { _, _ = conn.WriteTo(b, to) })
			return len(b), nil
		}
	}
	return conn.WriteTo(b, to)
}

// WriteTo implements net.PacketConn: it sends the answer as the fault changes it, or drops it.
func (m mutating) WriteTo(b []byte, to net.Addr) (int, error) {
	if m.fault.Twice != nil && m.fault.Twice(b) {
		if _, err := m.sends(b, to); err != nil {
			return 0, err
		}
	}
	if m.fault.Answer == nil {
		return m.sends(b, to)
	}
	changed := m.fault.Answer(append([]byte(nil), b...))
	if changed == nil {
		return len(b), nil
	}
	_, err := m.sends(changed, to)
	return len(b), err
}

// ReadFrom implements net.PacketConn: it receives a datagram, and changes a question where
// the fault does.
func (m mutating) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := m.PacketConn.ReadFrom(b)
	if err == nil && m.fault.Ask != nil {
		n = copy(b, m.fault.Ask(append([]byte(nil), b[:n]...)))
	}
	return n, from, err
}
