package fakeupf

import (
	"net"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"
)

// respond builds the answer to a request; false when m is not a request.
func (u *UPF) respond(m message.Message) (message.Message, bool) {
	switch q := m.(type) {
	case *message.HeartbeatRequest:
		return message.NewHeartbeatResponse(q.Sequence(), u.recovery()), true
	case *message.AssociationSetupRequest:
		return u.associate(q), true
	case *message.AssociationReleaseRequest:
		return message.NewAssociationReleaseResponse(q.Sequence(), nodeID(), u.nodeCause()), true
	case *message.SessionEstablishmentRequest:
		return u.establish(q), true
	case *message.SessionModificationRequest:
		return message.NewSessionModificationResponse(0, 0, u.cpSEIDs[q.SEID()], q.Sequence(), 0, u.verdict(q)...), true
	case *message.SessionDeletionRequest:
		return message.NewSessionDeletionResponse(0, 0, u.cpSEIDs[q.SEID()], q.Sequence(), 0, u.verdict(q)...), true
	}
	return nil, false
}

func nodeID() *ie.IE { return ie.NewNodeID("127.0.0.1", "", "") }

func (u *UPF) recovery() *ie.IE { return ie.NewRecoveryTimeStamp(u.started) }

func (u *UPF) nodeCause() *ie.IE {
	if r := u.script.RejectNode; r != nil {
		return ie.NewCause(r.Cause)
	}
	return ie.NewCause(ie.CauseRequestAccepted)
}

func (u *UPF) associate(q *message.AssociationSetupRequest) message.Message {
	features := u.script.Features
	if features == nil {
		const ftup = 0x10
		features = []byte{ftup, 0}
	}
	return message.NewAssociationSetupResponse(q.Sequence(),
		nodeID(), u.nodeCause(), u.recovery(), ie.NewUPFunctionFeatures(features...))
}

// verdict is the Cause, and what goes with a rejection.
func (u *UPF) verdict(m message.Message) []*ie.IE {
	n := u.sessions
	u.sessions++
	if u.script.Reject == nil {
		return []*ie.IE{ie.NewCause(ie.CauseRequestAccepted)}
	}
	r := u.script.Reject(n, m.MessageType())
	if r == nil {
		return []*ie.IE{ie.NewCause(ie.CauseRequestAccepted)}
	}
	out := []*ie.IE{ie.NewCause(r.Cause)}
	if r.OffendingIE != 0 {
		out = append(out, ie.NewOffendingIE(r.OffendingIE))
	}
	if r.FailedPDR != 0 {
		out = append(out, ie.NewFailedRuleID(ie.RuleIDTypePDR, uint32(r.FailedPDR)))
	}
	return out
}

func (u *UPF) establish(q *message.SessionEstablishmentRequest) message.Message {
	answer := append(u.verdict(q), nodeID())
	var cpSEID uint64
	if f, err := q.CPFSEID.FSEID(); err == nil {
		cpSEID = f.SEID
	}
	if cause, _ := answer[0].Cause(); cause == ie.CauseRequestAccepted {
		u.nextSEID++
		upSEID := u.nextSEID
		if u.script.OneSEID {
			upSEID = 0x5001
		}
		u.cpSEIDs[upSEID] = cpSEID
		answer = append(answer, ie.NewFSEID(upSEID, net.IPv4(127, 0, 0, 1), nil))
		answer = append(answer, u.created(q)...)
	}
	return message.NewSessionEstablishmentResponse(0, 0, cpSEID, q.Sequence(), 0, answer...)
}

// created gives an F-TEID to each PDR that asks for one, as many as sessions.
func (u *UPF) created(q *message.SessionEstablishmentRequest) (out []*ie.IE) {
	const v4 = 0x01
	teid := uint32(u.nextSEID)
	if u.script.OneTEID {
		teid = 0x5001
	}
	for _, pdr := range q.CreatePDR {
		id, err := pdr.PDRID()
		if err != nil || u.script.NoFTEID || !chooses(pdr) {
			continue
		}
		out = append(out, ie.NewCreatedPDR(ie.NewPDRID(id),
			ie.NewFTEID(v4, teid, net.IPv4(127, 0, 0, 3), nil, 0)))
	}
	return out
}

// chooses reports whether a Create PDR leaves the F-TEID to the UPF.
func chooses(pdr *ie.IE) bool {
	pdi, err := pdr.PDI()
	if err != nil {
		return false
	}
	for _, i := range pdi {
		if f, err := i.FTEID(); err == nil {
			return f.HasCh()
		}
	}
	return false
}
