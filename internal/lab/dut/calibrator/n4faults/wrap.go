package n4faults

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// faulty is N4's socket of a UPF that lies.
type faulty struct {
	net.PacketConn
	tell  func(*faulty, answer) error
	other net.PacketConn // nil where a fault needs none

	mu        sync.Mutex
	told      map[uint32]bool // requests that were lied to, by sequence number
	firstSEID uint64          // UP SEID of the first session
	firstTEID []byte          // Created PDR's F-TEID of the first session
}

// answer is an answer about a session: a copy, which a fault may change.
type answer struct {
	pfcp.Header
	b, ies []byte
	to     net.Addr
}

// Wrap puts the fault around N4's socket. N3 is the UPF's address there, from
// which OtherAddress answers.
func (k Kind) Wrap(conn net.PacketConn, n3 netip.Addr) (net.PacketConn, error) {
	for _, one := range kinds {
		if one.kind != k {
			continue
		}
		l := &faulty{PacketConn: conn, tell: one.tell, told: map[uint32]bool{}}
		return l, l.open(k, n3)
	}
	return conn, nil
}

// open opens the socket of lies about where an answer comes from.
func (l *faulty) open(k Kind, n3 netip.Addr) (err error) {
	at := n3
	switch k {
	case OtherPort:
		at = l.LocalAddr().(*net.UDPAddr).AddrPort().Addr()
	case OtherAddress:
	default:
		return nil
	}
	if l.other, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 0))); err != nil {
		return fmt.Errorf("open the socket of n4=%s: %w", k, err)
	}
	return nil
}

// WriteTo implements net.PacketConn: it applies the faults to answers of sessions and sends everything
// else as it is.
func (l *faulty) WriteTo(b []byte, to net.Addr) (int, error) {
	h, _, _, err := pfcp.Parse(b)
	if err != nil || !h.Type.OfSession() || !h.Type.IsResponse() {
		return l.PacketConn.WriteTo(b, to)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := answer{Header: h, b: bytes.Clone(b), to: to}
	_, a.ies, _, _ = pfcp.Parse(a.b)
	return len(b), l.tell(l, a)
}

// Close implements net.PacketConn: it closes both sockets.
func (l *faulty) Close() error {
	err := l.PacketConn.Close()
	if l.other != nil {
		err = errors.Join(err, l.other.Close())
	}
	return err
}

func (l *faulty) send(b []byte, to net.Addr) error {
	_, err := l.PacketConn.WriteTo(b, to)
	return err
}

// once reports whether the request was not lied to yet.
func (l *faulty) once(a answer) bool {
	first := !l.told[a.Sequence]
	l.told[a.Sequence] = true
	return first
}

// SEID and sequence number in the header of an answer about a session.
func (a answer) seid() []byte     { return a.b[4:12] }
func (a answer) sequence() []byte { return a.b[12:15] }

func (l *faulty) wrongSEID(a answer) error {
	binary.BigEndian.PutUint64(a.seid(), a.SEID+1)
	return l.send(a.b, a.to)
}

func (l *faulty) noSEID(a answer) error {
	clear(a.seid())
	return l.send(a.b, a.to)
}

func (l *faulty) wrongSequence(a answer) error {
	if l.once(a) {
		a.sequence()[0] ^= 0x80
	}
	return l.send(a.b, a.to)
}

func (l *faulty) wrongType(a answer) error {
	if l.once(a) {
		a.b[1] = byte(pfcp.SessionReportResponse)
	}
	return l.send(a.b, a.to)
}

func (l *faulty) doubled(a answer) error {
	if err := l.send(a.b, a.to); err != nil {
		return err
	}
	return l.send(a.b, a.to)
}

func (l *faulty) lost(a answer) error {
	if l.once(a) {
		return nil
	}
	return l.send(a.b, a.to)
}
