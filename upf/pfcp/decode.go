package pfcp

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"
)

// procedure is a request that was decoded: everything that it asks, in the
// UPF's own types.
type procedure interface {
	// run carries the request out and builds the answer.
	run(s *Server, from source) outcome
}

// errDecoder tells that the decoder gave up on an IE in a way that no cause
// describes: the message is dropped and counted.
var errDecoder = errors.New("the decoder panicked")

// decode turns a request's IEs into a procedure. It is the only place where a
// peer's IEs are read, and so the one that guards against panics of the
// library on malformed ones. The error is a *rejection, a *session.RuleError
// or errDecoder.
func decode(h header, b []byte) (p procedure, err error) {
	defer func() {
		if v := recover(); v != nil {
			p, err = nil, fmt.Errorf("%w: %v", errDecoder, v)
		}
	}()
	ies, err := ie.ParseMultiIEs(b)
	if err != nil {
		return nil, &rejection{cause: ie.CauseInvalidLength, reason: err.Error()}
	}
	return decodeProcedure(h, fields(ies))
}

func decodeProcedure(h header, f fields) (procedure, error) {
	switch h.typ {
	case heartbeatRequest:
		return decodeHeartbeat(f)
	case setupRequest:
		return decodeSetup(f)
	case updateRequest:
		return decodeUpdate(f)
	case releaseRequest:
		return decodeRelease(f)
	case establishmentRequest:
		return decodeEstablishment(f)
	case modificationRequest:
		return decodeModification(f)
	case deletionRequest:
		return deletion{}, nil
	}
	return nil, &rejection{cause: ie.CauseServiceNotSupported}
}

// nodeIDOf gives the Node ID IE's value as text (clause 8.2.38).
func nodeIDOf(f fields) (string, error) {
	b, err := f.must(ie.NodeID, 2)
	if err != nil {
		return "", err
	}
	switch kind, value := b[0], b[1:]; {
	case kind == ie.NodeIDIPv4Address && len(value) >= 4:
		return netip.AddrFrom4([4]byte(value)).String(), nil
	case kind == ie.NodeIDIPv6Address && len(value) >= 16:
		return netip.AddrFrom16([16]byte(value)).String(), nil
	case kind == ie.NodeIDFQDN:
		return f.find(ie.NodeID).NodeID()
	case kind < ie.NodeIDFQDN:
		return "", badLength(ie.NodeID)
	}
	return "", incorrect(ie.NodeID, "its type is not IPv4, IPv6 or FQDN")
}
