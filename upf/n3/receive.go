package n3

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/session"
)

// receive handles one datagram. It appends the answer to out, and gives the
// port that it goes to, 0 for the one that the datagram came from.
func (e *Endpoint) receive(out, datagram []byte, from netip.Addr, now time.Time) (answer []byte, port uint16) {
	if !isHost(from) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.counters.Malformed++
		return nil, 0
	}
	h, err := gtpu.Parse(datagram)
	// Asked before the lock is taken: whoever answers may be sending an End
	// Marker.
	known := err == nil && h.Type == gtpu.GPDU && e.cfg.KnownTEID(h.TEID)
	answer, port, then := e.handle(out, h, err, known, from, now)
	if then != nil {
		then()
	}
	return answer, port
}

// isHost reports whether a datagram can have come from an address (RFC 1122 clause 3.2.1.3). The kernel knows the
// broadcast addresses of subnets: the socket refuses to answer them.
func isHost(a netip.Addr) bool {
	return a.IsValid() && !a.IsUnspecified() && !a.IsMulticast() && a != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

// handle is receive with the lock held; then is what follows without it.
func (e *Endpoint) handle(out []byte, h gtpu.Header, err error, known bool, from netip.Addr,
	now time.Time) (answer []byte, port uint16, then func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil:
		e.counters.Malformed++
	case h.Unknown != 0 && h.Type != gtpu.SupportedExtensionHeaders:
		return e.unknownExtension(out, h.Sequence, from, now), e.cfg.PeerPort, nil
	case h.Type == gtpu.EchoRequest:
		e.counters.EchoRequests++
		return gtpu.AppendEchoResponse(out, h.Sequence), 0, nil
	case h.Type == gtpu.EchoResponse:
		if e.echoed(from, h.Sequence, now) {
			return nil, 0, func() { e.cfg.Supervision.Recovered(from) }
		}
	case h.Type == gtpu.GPDU:
		return e.gpdu(out, h.TEID, known, from, now), e.cfg.PeerPort, nil
	case h.Type == gtpu.EndMarker && e.cfg.Onward != nil:
		e.counters.Other++
		return nil, 0, func() { e.passOn(h.TEID) }
	case h.Type == gtpu.ErrorIndication:
		return nil, 0, e.indicated(h.Payload, from, now)
	default:
		e.counters.Other++
	}
	return nil, 0, nil
}

// passOn sends an End Marker from another UPF on: what it ends is the way through here,
// too (TS 23.502 clause 4.9.1.3.2).
func (e *Endpoint) passOn(teid uint32) {
	for _, tunnel := range e.cfg.Onward(teid) {
		e.EndMarker(tunnel)
	}
}

// unknownExtension answers an extension header that has to be understood and is not (TS
// 29.281 clauses 5.2.1 and 7.2.3).
func (e *Endpoint) unknownExtension(out []byte, sequence uint16, from netip.Addr, now time.Time) []byte {
	e.counters.UnknownExtension++
	if !e.quota.take(from, now) {
		return nil
	}
	return gtpu.AppendSupportedExtensionHeaders(out, sequence)
}

// indicated takes an Error Indication (clause 7.3.1). One speaks for the tunnels that
// end at its sender, for no other's.
func (e *Endpoint) indicated(payload []byte, from netip.Addr, now time.Time) (then func()) {
	teid, peer, err := gtpu.ParseErrorIndication(payload)
	if err != nil {
		e.counters.Malformed++
		return nil
	}
	e.counters.Indicated++
	if e.cfg.TunnelGone == nil || peer.Unmap() != from {
		return nil
	}
	return func() { e.cfg.TunnelGone(session.OuterHeader{TEID: teid, Peer: from}, now) }
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
	at := e.cfg.Address
	if from.Is6() {
		at = e.cfg.Address6
	}
	return gtpu.AppendErrorIndication(out, teid, at)
}
