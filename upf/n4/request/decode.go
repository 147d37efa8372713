// Package request reads PFCP requests into values: what a CP function asks, in the UPF's own types, or why it is
// refused (TS 29.244 clause 7). It knows of no session, association or datapath, and no IE is read elsewhere.
package request

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// Request is a request that was decoded: everything that it asks, in the
// UPF's own types. It is one of Heartbeat, Setup, Update, Release, PFDManagement, SetDeletion, Establishment,
// Modification and Deletion.
type Request any

// Decode turns a request's IEs into a Request; no IE is read elsewhere. The
// error is a *Rejection, a *session.RuleError, or wraps pfcp.ErrDecoder: then
// no cause describes it, and the message is dropped and counted.
func Decode(h pfcp.Header, b []byte) (p Request, err error) {
	err = pfcp.Decode(b, func(ies []*ie.IE) error {
		p, err = decodeProcedure(h, Fields(ies))
		return err
	})
	if errors.Is(err, pfcp.ErrIEs) {
		err = &Rejection{Cause: ie.CauseInvalidLength, Reason: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func decodeProcedure(h pfcp.Header, f Fields) (Request, error) {
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
		return Deletion{}, nil
	}
	return nil, &Rejection{Cause: ie.CauseServiceNotSupported}
}

// maxNodeID is the length of a domain name.
const maxNodeID = 253

// NodeIDOf gives the Node ID IE's value as text (clause 8.2.38).
func NodeIDOf(f Fields) (string, error) {
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
		return "", Incorrect(ie.NodeID, "the name is longer than a domain name can be")
	case kind == ie.NodeIDFQDN:
		name, err := f.Find(ie.NodeID).NodeID()
		return strings.ToLower(name), err // names are compared without case (RFC 4343)
	case kind < ie.NodeIDFQDN:
		return "", badLength(ie.NodeID)
	}
	return "", Incorrect(ie.NodeID, "its type is not IPv4, IPv6 or FQDN")
}

// PDN Types (clause 8.2.79) that carry IP.
const (
	pdnIPv4   = 1
	pdnIPv6   = 2
	pdnIPv4v6 = 3
)

// supportedPDN refuses a session whose PDN Type is not one of IP.
func supportedPDN(f Fields) error {
	b, _, err := f.may(ie.PDNType, 1)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return nil
	}
	switch b[0] & 7 {
	case pdnIPv4, pdnIPv6, pdnIPv4v6:
		return nil
	}
	return &Rejection{Cause: ie.CauseServiceNotSupported, Offending: ie.PDNType, Reason: "only IP sessions are supported"}
}

// setsOf reads the FQ-CSIDs (clause 8.2.45) of a message: each is a node and numbers
// of sets there.
func setsOf(f Fields) (sets []string, err error) {
	for _, i := range f {
		if i.Type != ie.FQCSID {
			continue
		}
		if len(i.Payload) == 0 {
			return nil, badLength(ie.FQCSID)
		}
		kind, count := i.Payload[0]>>4, int(i.Payload[0]&0xf)
		size, known := map[byte]int{0: 4, 1: 16, 2: 4}[kind]
		b := i.Payload[1:]
		switch {
		case !known:
			return nil, Incorrect(ie.FQCSID, "the type of its node is not known")
		case len(b) < size+2*count:
			return nil, badLength(ie.FQCSID)
		}
		node := string(i.Payload[0]&0xf0) + string(b[:size])
		for n := range count {
			at := size + 2*n
			sets = append(sets, node+string(b[at:at+2]))
		}
	}
	return sets, nil
}

// inactivityOf reads a User Plane Inactivity Timer (clause 8.2.83); nil when it is
// absent, 0 when it stops.
func inactivityOf(f Fields) (*time.Duration, error) {
	b, found, err := f.may(ie.UserPlaneInactivityTimer, 4)
	switch {
	case err != nil || !found:
		return nil, err
	case len(b) == 0:
		return new(time.Duration), nil
	}
	after := time.Duration(binary.BigEndian.Uint32(b)) * time.Second
	return &after, nil
}

// Fields are the IEs of a message or of a grouped IE. Where an IE that may
// come once comes twice, the first counts (TS 29.244 clause 7.6.10).
type Fields []*ie.IE

// Find returns the first IE of the type, or nil.
func (f Fields) Find(typ uint16) *ie.IE {
	for _, i := range f {
		if i.Type == typ {
			return i
		}
	}
	return nil
}

// must returns the mandatory IE's payload, of at least min octets.
func (f Fields) must(typ uint16, min int) ([]byte, error) {
	i := f.Find(typ)
	switch {
	case i == nil:
		return nil, missing(typ)
	case len(i.Payload) < min:
		return nil, badLength(typ)
	}
	return i.Payload, nil
}

// may returns the IE's payload when the IE is there. A null length, which
// takes a parameter back (clause 5.6.3), gives an empty payload.
func (f Fields) may(typ uint16, min int) (payload []byte, found bool, err error) {
	i := f.Find(typ)
	switch {
	case i == nil:
		return nil, false, nil
	case len(i.Payload) != 0 && len(i.Payload) < min:
		return nil, false, badLength(typ)
	}
	return i.Payload, true, nil
}

func (f Fields) mustUint16(typ uint16) (uint16, error) {
	b, err := f.must(typ, 2)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint16(b), nil
}

func (f Fields) mustUint32(typ uint16) (uint32, error) {
	b, err := f.must(typ, 4)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(b), nil
}

// mayUint32 returns nil when the IE is absent or has a null length.
func (f Fields) mayUint32(typ uint16) (*uint32, error) {
	b, _, err := f.may(typ, 4)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	v := binary.BigEndian.Uint32(b)
	return &v, nil
}

// listUint32 returns the values of all IEs of the type. It is nil when there
// is none, and empty when the only one has a null length.
func (f Fields) listUint32(typ uint16) ([]uint32, error) {
	var list []uint32
	for _, i := range f {
		switch {
		case i.Type != typ:
		case len(i.Payload) >= 4:
			list = append(list, binary.BigEndian.Uint32(i.Payload))
		case len(i.Payload) == 0 && list == nil:
			list = []uint32{}
		case len(i.Payload) != 0:
			return nil, badLength(typ)
		}
	}
	return list, nil
}

// interfaceOf translates a Source or Destination Interface (TS 29.244 clauses
// 8.2.2 and 8.2.24), whose values are the same. SGi-LAN/N6-LAN is core here, and so is the
// CP function as a source, which sends by a tunnel as another UPF does.
func interfaceOf(octet byte) (session.Interface, error) {
	switch octet & 0x0f {
	case ie.SrcInterfaceAccess:
		return session.Access, nil
	case ie.SrcInterfaceCore, ie.SrcInterfaceSGiLANN6LAN:
		return session.Core, nil
	case InterfaceCPFunction:
		return session.CPFunction, nil
	}
	return 0, fmt.Errorf("interface %d is not supported: access (0), core (1), SGi-LAN/N6-LAN (2) and CP function (3) are", octet&0x0f)
}

// InterfaceCPFunction is CP-function of a Source or Destination Interface.
const InterfaceCPFunction = 3

// Types of IEs of release 17 (TS 29.244 table 8.1.2-1) that package ie has no name for.
const (
	IEL2TPTunnel       = 276
	IEL2TPSession      = 277
	IEReplacement      = 293 // IP Address and Port Number Replacement
	IEDNSQueryFilter   = 294
	IEMBSN4mbControl   = 300
	IEMBSMulticast     = 301
	IEMBSUnicast       = 302
	IERemoveMBSUnicast = 304
	IEMBSSession       = 305
	IEMBSN4Control     = 310
	IEAreaSession      = 314
	IEDSCPToPPI        = 316
	IEQERIndications   = 319
)
