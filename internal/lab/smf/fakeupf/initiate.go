package fakeupf

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"
)

// Initiate associates with the SMF, as a UPF without an NRF does: the request is
// sent each t1, at most n1 times. It checks the answer as OAI-CN5G-UPF does, which
// wants a Node ID and a Recovery Time Stamp in it.
func (u *UPF) Initiate(smf net.Addr, t1 time.Duration, n1 int) error {
	const ftup = 0x10
	a, err := u.insist(smf, t1, n1, message.NewAssociationSetupRequest(1, nodeID(), u.recovery(), ie.NewUPFunctionFeatures(ftup, 0)))
	if err != nil {
		return err
	}
	r, is := a.(*message.AssociationSetupResponse)
	if !is || r.NodeID == nil || r.RecoveryTimeStamp == nil || r.Cause == nil {
		return fmt.Errorf("the answer is a %T without an IE that is mandatory", a)
	}
	if cause, err := r.Cause.Cause(); err != nil || cause != ie.CauseRequestAccepted {
		return fmt.Errorf("the association has cause %d, %v", cause, err)
	}
	return nil
}

// Beat exchanges a heartbeat with the SMF; without an answer OAI-CN5G-UPF deletes
// the association and its sessions.
func (u *UPF) Beat(smf net.Addr, t1 time.Duration, n1 int) error {
	a, err := u.insist(smf, t1, n1, message.NewHeartbeatRequest(2, u.recovery(), nil))
	if err != nil {
		return err
	}
	if r, is := a.(*message.HeartbeatResponse); !is || r.RecoveryTimeStamp == nil {
		return fmt.Errorf("the answer is a %T without a Recovery Time Stamp", a)
	}
	return nil
}

// insist sends a request again and again.
func (u *UPF) insist(smf net.Addr, t1 time.Duration, n1 int, m message.Message) (message.Message, error) {
	b := make([]byte, m.MarshalLen())
	if err := m.MarshalTo(b); err != nil {
		return nil, err
	}
	for range n1 {
		if err := u.Send(smf, b); err != nil {
			return nil, err
		}
		if a := u.answerTo(m, t1); a != nil {
			return a, nil
		}
	}
	return nil, errors.New("the SMF did not answer")
}

// answerTo waits for the answer to a request; nil: there is none. Answers to earlier
// requests, which were repeated, are none.
func (u *UPF) answerTo(m message.Message, within time.Duration) message.Message {
	late := time.After(within)
	for {
		select {
		case a := <-u.answers:
			if a.Sequence() == m.Sequence() {
				return a
			}
		case <-late:
			return nil
		}
	}
}
