package pfcp

import (
	"errors"
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// procedure is a request that was decoded: everything that it asks, in the
// UPF's own types.
type procedure interface {
	// run carries the request out and builds the answer.
	run(s *Server, from source) outcome
}

// decode turns a request's IEs into a procedure; no IE is read elsewhere. The
// error is a *rejection, a *session.RuleError, or wraps pfcp.ErrDecoder: then
// no cause describes it, and the message is dropped and counted.
func decode(h pfcp.Header, b []byte) (p procedure, err error) {
	err = pfcp.Decode(b, func(ies []*ie.IE) error {
		p, err = decodeProcedure(h, fields(ies))
		return err
	})
	if errors.Is(err, pfcp.ErrIEs) {
		err = &rejection{cause: ie.CauseInvalidLength, reason: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func decodeProcedure(h pfcp.Header, f fields) (procedure, error) {
	switch h.Type {
	case pfcp.HeartbeatRequest:
		return decodeHeartbeat(f)
	case pfcp.AssociationSetupRequest:
		return decodeSetup(f)
	case pfcp.AssociationUpdateRequest:
		return decodeUpdate(f)
	case pfcp.AssociationReleaseRequest:
		return decodeRelease(f)
	case pfcp.PFDManagementRequest:
		return decodePFDs(f)
	case pfcp.SessionSetDeletionRequest:
		return decodeSetDeletion(f)
	case pfcp.SessionEstablishmentRequest:
		return decodeEstablishment(f)
	case pfcp.SessionModificationRequest:
		return decodeModification(f)
	case pfcp.SessionDeletionRequest:
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
	case kind == ie.NodeIDFQDN && len(value) > maxNodeID:
		return "", incorrect(ie.NodeID, "the name is longer than a domain name can be")
	case kind == ie.NodeIDFQDN:
		return f.find(ie.NodeID).NodeID()
	case kind < ie.NodeIDFQDN:
		return "", badLength(ie.NodeID)
	}
	return "", incorrect(ie.NodeID, "its type is not IPv4, IPv6 or FQDN")
}
