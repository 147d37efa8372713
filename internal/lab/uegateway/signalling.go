package uegateway

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/upflab/upflab/internal/proto/gtpu"
)

// signalling is the gNB's GTP-U socket: it answers Echo Requests (TS 29.281 clause
// 7.2.2) and counts what else comes to it. G-PDUs never do.
type signalling struct {
	conn    *net.UDPConn
	running sync.WaitGroup

	echoes, errors, ends, other atomic.Uint64
}

func (g *Gateway) listen() error {
	conn, err := g.n3.NS.ListenUDP(netip.AddrPortFrom(netip.IPv4Unspecified(), gtpu.Port))
	if err != nil {
		return err
	}
	g.signalled = &signalling{conn: conn}
	g.signalled.running.Go(g.signalled.serve)
	return nil
}

func (s *signalling) serve() {
	in, out := make([]byte, 65536), make([]byte, 0, 64)
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(in)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an ICMP error for an answer of ours
		}
		if answer := s.receive(out[:0], in[:n]); len(answer) > 0 {
			s.conn.WriteToUDPAddrPort(answer, from) // a peer that is gone will ask again
		}
	}
}

// receive handles a datagram and gives the answer, if there is one.
func (s *signalling) receive(out, datagram []byte) []byte {
	h, err := gtpu.Parse(datagram)
	switch {
	case err != nil:
		s.other.Add(1)
	case h.Type == gtpu.EchoRequest:
		s.echoes.Add(1)
		return gtpu.AppendEchoResponse(out, h.Sequence)
	case h.Type == gtpu.ErrorIndication:
		s.errors.Add(1)
	case h.Type == gtpu.EndMarker:
		s.ends.Add(1)
	default:
		s.other.Add(1)
	}
	return nil
}

func (s *signalling) add(c *Counters) {
	c.EchoRequests, c.ErrorIndications = s.echoes.Load(), s.errors.Load()
	c.EndMarkers, c.OtherMessages = s.ends.Load(), s.other.Load()
}

func (s *signalling) close() error {
	err := s.conn.Close()
	s.running.Wait()
	return err
}
