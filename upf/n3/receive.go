package n3

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/gtpu"
)

// receive handles one datagram. It appends the answer to out, and gives the
// port that it goes to, 0 for the one that the datagram came from.
func (e *Endpoint) receive(out, datagram []byte, from netip.Addr, now time.Time) (answer []byte, port uint16) {
	h, err := gtpu.Parse(datagram)
	// Asked before the lock is taken: whoever answers may be sending an End
	// Marker.
	known := err == nil && h.Type == gtpu.GPDU && e.cfg.KnownTEID(h.TEID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.counters.Malformed++
		return nil, 0
	}
	switch h.Type {
	case gtpu.EchoRequest:
		e.counters.EchoRequests++
		return gtpu.AppendEchoResponse(out, h.Sequence), 0
	case gtpu.GPDU:
		return e.gpdu(out, h.TEID, known, from, now), e.cfg.PeerPort
	case gtpu.ErrorIndication:
		e.counters.Indicated++
	default:
		e.counters.Other++
	}
	return nil, 0
}

// gpdu follows TS 29.281 clause 7.3.1: a G-PDU for no tunnel is discarded and
// its sender gets an Error Indication.
func (e *Endpoint) gpdu(out []byte, teid uint32, known bool, from netip.Addr, now time.Time) []byte {
	if known {
		e.counters.Strays++
		return nil
	}
	e.counters.UnknownTEID++
	if !e.quota.take(from, now) {
		return nil
	}
	e.counters.ErrorIndications++
	return gtpu.AppendErrorIndication(out, teid, e.cfg.Address)
}
